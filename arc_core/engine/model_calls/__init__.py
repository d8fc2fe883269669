"""One model call: retries, fallbacks, and the stream of its answer through the output guards."""
