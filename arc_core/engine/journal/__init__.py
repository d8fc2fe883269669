"""The steps of a run and their records, so that it can go on elsewhere."""
