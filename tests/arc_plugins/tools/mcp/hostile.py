"""Servers that lie, as sources of tools, and what is logged of them."""

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arc_core import ToolContext
from arc_core.log import get_logger
from arc_core.timing.backoff import Backoff
from arc_plugins.tools.mcp.settings import McpSettings
from arc_plugins.tools.mcp.source import McpTools

PROGRAM = str(Path(__file__).with_name("hostile_program.py"))
CONTEXT = ToolContext(run_id="r-1", call_id="c-1", user_id="ann")


def hostile(*behaviour: str, **more: Any) -> dict[str, Any]:
    """The settings of a hostile child process."""
    return {"command": sys.executable, "args": [PROGRAM, *behaviour], **more}


def mcp_tools(*, max_reply_bytes: int = 1_000_000, **servers: dict[str, Any]) -> McpTools:
    """The tools of these servers, which are tried again at once."""
    return McpTools(
        settings=McpSettings.model_validate({"servers": servers}),
        max_output_chars=1000,
        max_reply_bytes=max_reply_bytes,
        logger=get_logger("mcp"),
        reconnects=Backoff(first_delay_s=0.01, max_delay_s=30.0),
    )


def names(source: McpTools) -> list[str]:
    """What the model is offered."""
    return [tool.name for tool in source.tools()]


async def call(source: McpTools, name: str, **arguments: Any) -> str:
    """What a tool answers."""
    tool = next(tool for tool in source.tools() if tool.name == name)
    return str(await tool.call(arguments, CONTEXT))


class Awaited(logging.Handler):
    """Tells when a message with these words is logged."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words, self.seen, self.records = words, asyncio.Event(), list[logging.LogRecord]()

    def emit(self, record: logging.LogRecord) -> None:
        if self.words in record.getMessage():
            self.records.append(record)
            self.seen.set()


@contextmanager
def logged(words: str) -> Iterator[Awaited]:
    """What is logged with these words, from INFO on."""
    handler, logger = Awaited(words), logging.getLogger("arc.mcp")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
