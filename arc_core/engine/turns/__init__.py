"""The way to an answer: the pipeline of a run, and the turns of asking the model and its tools."""
