"""Arc as its users run it: an application with everything on, and two tools."""

from benchmarks.contestants.arc_application import ArcContestant


class Contestant(ArcContestant):
    provider = "openai"
