"""The interfaces of components: one file per decision that the engine leaves to them."""
