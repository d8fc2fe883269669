"""The smallest agent: one tool, one question, and another answer in a stream.

Without a key Arc's offline model answers; with OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY
set, a language model does.
"""

import asyncio

from arc_autoconfig import Application
from arc_core import tool

WEATHER = {"Seoul": "21 °C, clear sky", "Busan": "24 °C, light wind"}


@tool
async def get_weather(city: str) -> str:
    """Current weather of a city."""
    return WEATHER.get(city, "nothing is known of that city")


async def main() -> None:
    """Ask twice."""
    async with Application(register=[get_weather]) as app:
        result = await app.execute("How is the weather in Seoul?")
        print(result.content if result.success else result.error_message, end="\n\n")
        async for text in app.execute_stream("And how is the weather in Busan?"):
            print(text, end="", flush=True)
    print()


if __name__ == "__main__":
    asyncio.run(main())
