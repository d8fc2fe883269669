"""Arc as its users run it, with OpenAI's model through the Responses API."""

from benchmarks.contestants.arc_application import ArcContestant


class Contestant(ArcContestant):
    provider = "openai_responses"
