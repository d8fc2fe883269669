"""Tells OpenTelemetry what runs cost and how they went, by its conventions for generative AI."""
