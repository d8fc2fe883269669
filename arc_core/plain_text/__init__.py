"""One spelling for texts that may be written to be read in two ways; guards compare by it."""
