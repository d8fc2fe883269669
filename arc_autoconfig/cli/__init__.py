"""The command line: `arc`. Commands import what they need when they run."""
