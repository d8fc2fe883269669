"""The classes that can be assembled: one file per family, and the choice among them."""
