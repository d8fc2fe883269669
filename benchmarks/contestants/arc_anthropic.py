"""Arc as its users run it, with Anthropic's model."""

from benchmarks.contestants.arc_application import ArcContestant


class Contestant(ArcContestant):
    provider = "anthropic"
