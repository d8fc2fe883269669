"""Brings prompts into one form, so that later guards see what people see."""
