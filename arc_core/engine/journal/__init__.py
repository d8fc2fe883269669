"""How a run is passed through steps that are recorded, so that it can go on elsewhere."""
