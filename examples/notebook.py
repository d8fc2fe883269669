"""A notebook, cell by cell: an event loop is running already, and no cell needs `await`.

Without a key Arc's offline model answers; with OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY
set, a language model does.
"""

import asyncio

from arc_autoconfig import Application, BlockingApplication
from arc_core import Agent, tool

WEATHER = {"Seoul": "21 °C, clear sky", "Busan": "24 °C, light wind"}


@tool
async def get_weather(city: str) -> str:
    """Current weather of a city."""
    return WEATHER.get(city, "nothing is known of that city")


weather = Agent("weather", instructions="You tell the weather.", tools=[get_weather])
app = Application(register=[weather])


def ask_whole(blocking: BlockingApplication) -> None:
    """Cell 1: the answer at once."""
    result = blocking.execute("How is the weather in Seoul?", agent="weather", session_id="trip")
    print(result.content or result.error_message)


def ask_in_pieces(blocking: BlockingApplication) -> None:
    """Cell 2: the answer as it comes, in the same conversation."""
    with blocking.stream(
        "And how is the weather in Busan?", agent="weather", session_id="trip"
    ) as run:
        for text in run.text():
            print(text, end="", flush=True)
    print()


async def run_cells() -> None:
    """What a notebook does: its own loop is running while the cells are."""
    with app.blocking() as blocking:
        ask_whole(blocking)
        ask_in_pieces(blocking)


if __name__ == "__main__":
    asyncio.run(run_cells())
