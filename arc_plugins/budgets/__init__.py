"""What keeps the budgets of tenants and users."""
