"""The subcommands of `arc`, a module each."""
