"""Forged marks of templates and ends of sections."""

__all__ = ["WEIGHTS"]

WEIGHTS = {
    "frame 10 above": 0.26,
    "frame 10 reveal": 0.45,
    "frame 10 rewrite": 0.45,
    "frame 10 text": 0.26,
    "frame 4 above": 0.23,
    "frame 4 prior": 0.29,
    "frame 4 text": 0.25,
    "role_marker 1 role_marker": 0.28,
    "role_marker 10 ai": 0.36,
    "role_marker 10 limits": 0.44,
    "role_marker 10 prior": 0.48,
    "role_marker 10 reveal": 0.37,
    "role_marker 10 without": 0.33,
    "role_marker 4 role_marker": 0.44,
    "unbound 10 role_marker": 0.37,
    "user 10 role_marker": 0.41,
    "user 4 role_marker": 0.34,
}
