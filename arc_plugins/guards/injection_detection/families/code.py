"""Commands of a shell that attackers try first."""

__all__ = ["WEIGHTS"]

WEIGHTS = {
    "disregard 10 shell_payload": 0.45,
    "disregard 4 shell_payload": 0.44,
    "follow 1 shell_payload": 0.37,
    "prior 1 shell_payload": 0.45,
    "run 10 shell_payload": 0.26,
    "shell_payload 4 shell_payload": 0.45,
    "system 1 shell_payload": 0.45,
}
