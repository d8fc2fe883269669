"""Commands of a shell that attackers try first."""

__all__ = ["WEIGHTS"]

WEIGHTS = {
    "disregard 10 shell_payload": 0.48,
    "disregard 4 shell_payload": 0.34,
    "follow 1 shell_payload": 0.31,
    "prior 1 shell_payload": 0.24,
    "run 10 shell_payload": 0.55,
    "run 4 shell_payload": 0.3,
    "shell_payload 4 shell_payload": 0.43,
    "system 1 shell_payload": 0.49,
}
