"""What a run may spend of its budgets: reserved before it asks a model, settled at its end."""
