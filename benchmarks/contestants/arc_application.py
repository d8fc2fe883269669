"""An application with all its defaults: guards, hooks, history, metrics, logging."""

from collections.abc import AsyncGenerator

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, AgentMode, tool
from benchmarks.contestants import SYSTEM, get_time, get_weather


class ArcContestant:
    """The same for every API."""

    provider: str

    def __init__(self, url: str) -> None:
        settings = ArcSettings(
            llm={
                "provider": self.provider,
                "base_url": f"{url}/v1",
                "model": "bench-1",
                "system_prompt": SYSTEM,
            },
            concurrency={"max_concurrent_requests": 1000},
            conversation={"max_turns": 1000},
        )
        self.application = Application(settings, register=[tool(get_weather), tool(get_time)])

    async def start(self) -> None:
        await self.application.__aenter__()

    async def close(self) -> None:
        await self.application.__aexit__(None, None, None)

    async def run(self, prompt: str) -> str:
        return await self.answer(AgentCommand(user_prompt=prompt, user_id="bench"))

    async def turn(self, prompt: str, *, session: str) -> str:
        return await self.answer(
            AgentCommand(
                user_prompt=prompt, mode=AgentMode.STANDARD, user_id="bench", session_id=session
            )
        )

    async def answer(self, command: AgentCommand) -> str:
        result = await self.application.execute(command)
        assert result.content is not None, result
        return result.content

    def stream(self, prompt: str, *, tools: bool) -> AsyncGenerator[str]:
        mode = AgentMode.REACT if tools else AgentMode.STANDARD
        command = AgentCommand(user_prompt=prompt, mode=mode, user_id="bench")
        return self.application.execute_stream(command)
