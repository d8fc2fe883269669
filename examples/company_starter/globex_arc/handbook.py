"""The agent that knows the handbook: every application of the company can ask it."""

from importlib.resources import files

from arc_core import Agent, tool

__all__ = ["handbook", "look_up_rule"]


@tool
async def look_up_rule(topic: str) -> str:
    """The rule of the handbook about a topic.

    Args:
        topic: One word, such as "refunds".
    """
    text = files("globex_arc").joinpath("handbook.md").read_text("utf-8")
    chapters = dict(part.split("\n", 1) for part in text.removeprefix("# ").split("\n# "))
    for title, rule in chapters.items():
        if topic.casefold() in title.casefold():
            return rule.strip()
    return f"The handbook has nothing about it. It has: {', '.join(chapters)}."


handbook = Agent(
    "handbook",
    description="Knows the rules of the company: refunds, holidays, travel.",
    instructions="Answer from the handbook alone, and name the rule.",
    tools=[look_up_rule],
)
