"""Forged marks of templates and ends of sections."""

__all__ = ["WEIGHTS"]

WEIGHTS = {
    "frame 10 above": 0.35,
    "frame 10 reveal": 0.38,
    "frame 10 rewrite": 0.45,
    "frame 10 text": 0.31,
    "frame 4 above": 0.33,
    "frame 4 prior": 0.38,
    "frame 4 text": 0.31,
    "role_marker": 0.06,
    "role_marker 1 role_marker": 0.37,
    "role_marker 10 ai": 0.45,
    "role_marker 10 limits": 0.45,
    "role_marker 10 prior": 0.45,
    "role_marker 10 reveal": 0.4,
    "role_marker 10 without": 0.39,
    "role_marker 4 role_marker": 0.45,
    "role_marker 8 disregard": 0.07,
    "unbound 10 role_marker": 0.45,
    "user 10 role_marker": 0.44,
    "user 4 role_marker": 0.37,
}
