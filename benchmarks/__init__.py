"""What Arc costs, beside the vendors' SDKs used by hand and their bare transport."""
