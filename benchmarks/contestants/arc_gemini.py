"""Arc as its users run it, with Gemini."""

from benchmarks.contestants.arc_application import ArcContestant


class Contestant(ArcContestant):
    provider = "gemini"
