"""The agents of an engine: profiles, instructions, checks of answers, and who is in charge."""
