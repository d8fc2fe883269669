"""What every agent of Globex has."""
