"""Whether runs keep within a budget that many processes share."""
