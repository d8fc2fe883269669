"""A component in the words of the wiring: its place, how it is offered, what it asks for."""
