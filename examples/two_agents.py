"""Two agents in one application: each has its own instructions, tools and type of answers.

Without a key Arc's offline model answers; with OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY
set, a language model does.
"""

import asyncio

from arc_autoconfig import Application
from arc_core import Agent, Limits, tool

WEATHER = {"Seoul": "21 °C, clear sky", "Busan": "24 °C, light wind"}
TRAINS = {"Seoul": "every 20 minutes", "Busan": "every hour"}


@tool
async def get_weather(city: str) -> str:
    """Current weather of a city."""
    return WEATHER.get(city, "nothing is known of that city")


@tool
async def get_trains(city: str) -> str:
    """How often trains leave a city."""
    return TRAINS.get(city, "no trains")


weather = Agent("weather", instructions="You tell the weather.", tools=[get_weather])
travel = Agent(
    "travel",
    instructions="You plan journeys by train.",
    tools=[get_trains],
    limits=Limits(max_tool_calls=3, deadline_s=20),
)


async def main() -> None:
    """Ask both."""
    async with Application(register=[weather, travel]) as app:
        for agent, question in (
            (weather, "How is the weather in Seoul?"),
            (travel, "How often do trains leave Busan?"),
        ):
            result = await app.agent(agent).execute(question)
            print(f"{result.agent}: {result.content or result.error_message}")


if __name__ == "__main__":
    asyncio.run(main())
