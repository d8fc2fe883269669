"""What serving costs, beside the bare engine, and what it holds: `python -m benchmarks.serving`."""
