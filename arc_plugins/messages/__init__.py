"""What people are told about failures, in the languages that come with Arc."""
