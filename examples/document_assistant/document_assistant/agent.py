"""The agent, and the minutes that it may read: many, and long."""

from arc_core import Agent, tool

__all__ = ["archivist", "assistant", "read_minutes"]


@tool
async def read_minutes(year: int) -> str:
    """The minutes of a year of the works council.

    Args:
        year: From 1990 on.
    """
    lines = [
        f"{year}, item {number}: nothing was decided that is not known." for number in range(400)
    ]
    if year == 1997:
        lines[217] = "1997, item 217: the fire drill takes place on the first Monday of May."
    return "\n".join(lines)


archivist = Agent(
    "archivist",
    description="Finds contracts in the archive, for the person who has logged in there.",
    instructions="Find what is asked for in the archive.",
    tools=["mcp:archive/*"],
)

assistant = Agent(
    "assistant",
    description="Answers from the documents of the company.",
    instructions=(
        "Answer from the documents you are given, and name them. The decisions of the works "
        "council are in its minutes; for contracts, let the archivist take over."
    ),
    tools=[read_minutes],
    delegates=["handbook"],
    handoffs=["archivist"],
)
