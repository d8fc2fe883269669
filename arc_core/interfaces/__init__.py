"""What can be replaced or added: one file per decision the engine leaves to a component."""
