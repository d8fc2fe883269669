"""The section `[globex]` of the settings."""

from typing import Annotated

from arc_core.settings import Harmless, NeedsTrust, Section

__all__ = ["GlobexSettings"]


class GlobexSettings(Section):
    """The rules of the company.

    Attributes:
        codenames: Words of projects that no model may hear of.
        house_rules: Stands above the instructions of every agent.
        usage_file: A line of JSON for each run is appended to it; None writes none.
    """

    codenames: Annotated[tuple[str, ...], Harmless("more of them reject more")] = ("Hypnosis",)
    house_rules: Annotated[str, NeedsTrust("every model is told it")] = (
        "You work for Globex. Write plain English, and never promise a date."
    )
    usage_file: Annotated[str | None, NeedsTrust("it is written to")] = None
