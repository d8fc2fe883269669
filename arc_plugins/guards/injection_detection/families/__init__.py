"""What gives an injection away, a table per family.

Keys are concepts of the language tables in their order, with the number of other words that may
stand between two of them; values are weights, see `patterns`.
"""
