"""From a merge plan to the function that folds deltas by it."""
