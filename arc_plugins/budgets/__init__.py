"""Budgets of tenants and users."""
