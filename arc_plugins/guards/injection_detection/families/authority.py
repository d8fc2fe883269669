"""Claiming to be somebody whom the model obeys."""

__all__ = ["WEIGHTS"]

WEIGHTS = {
    "override_call": 0.38,
}
