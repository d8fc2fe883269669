"""The tool `calculate`: exact arithmetic for a model that would guess."""
