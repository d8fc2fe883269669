"""The one place that calls components: a table of policies, and a call that keeps to it."""
