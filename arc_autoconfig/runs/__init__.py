"""What an application is asked for, and the run that a caller reads while it goes on."""
