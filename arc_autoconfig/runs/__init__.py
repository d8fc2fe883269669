"""The commands of an application, and the run that a caller reads while it goes on."""
