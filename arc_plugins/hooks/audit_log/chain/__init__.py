"""Lines of an audit log that prove that none was changed: their form, their file, their check."""
