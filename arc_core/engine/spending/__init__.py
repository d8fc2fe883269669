"""The budgets of runs: reserved before a model is asked, settled at the end of a run."""
