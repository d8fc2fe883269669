"""Default components that plugins, fakes and replays share."""
