"""Time: pauses between attempts, time-outs, and cancellation, which always leaves."""
