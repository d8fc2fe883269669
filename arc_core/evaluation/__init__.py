"""Evaluation of agents: cases, trials, and a verdict as soon as it is clear."""
