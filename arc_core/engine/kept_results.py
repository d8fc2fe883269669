"""The tool results of a run that its model is not shown whole, and the tool that reads them.

A run whose steps a store keeps has them there; here stands only which they are. Any other run has
them in memory, the oldest in a file once they are many. The file has no name in the file system, so
that it ends with the process, whatever ends that.
"""

import asyncio
import errno
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any

from arc_core.engine.journal.recorder import RunRecorder
from arc_core.engine.journal.records import HiddenPart, ToolStep
from arc_core.engine.journal.step_forms import CALLED
from arc_core.errors import ToolRetry
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.log import get_logger
from arc_core.settings import AgentSettings
from arc_core.text.excerpts import READ_RESULT, make_placeholder, read_lines
from arc_core.text.word_search import find_passages
from arc_core.tools.threads import NoThreadFreeError, compute_in_thread

logger = get_logger("tool_calls")

EVERY_KEY = "all"
_MOST_LISTED = 40
_PIECE_CHARS = 256 * 1024
_LONG_CHARS = 50_000  # reading more of them would hold the event loop


@dataclass(slots=True)
class _Kept:
    """One result.

    Attributes:
        line: That stands for it once it is cleared.
        visible: What the model is or was shown; None if a store has it.
        hidden: What the model was not shown of it, if that is in memory.
        size: Characters in memory.
        in_file: Where its hidden part stands in the file, and how many bytes that has.
    """

    line: str
    visible: str | None = None
    hidden: HiddenPart | None = None
    size: int = 0
    in_file: tuple[int, int] | None = None
    is_lost: bool = False


class KeptResults:
    """The results of one run; nothing of any other run is in reach."""

    def __init__(self, settings: AgentSettings, get_recorder: Callable[[], RunRecorder]) -> None:
        self._max_in_memory = settings.context.keep_run_chars
        self._get_recorder = get_recorder
        self._kept: dict[str, _Kept] = {}
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._writing = asyncio.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._kept

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, in the order of the calls; those of one turn end in any order."""
        return tuple(sorted(self._kept, key=lambda key: int(key.rpartition("/")[2])))

    def get_line(self, key: str) -> str:
        """Return the line that stands for a result."""
        return self._kept[key].line

    async def keep(self, key: str, visible: str, hidden: HiddenPart | None = None) -> None:
        """Keep a result, unless that is done: what the model is shown of it, and what it is not."""
        if key in self._kept:
            return
        whole = visible if hidden is None else hidden.put_into(visible)
        line = make_placeholder(whole, key=key, is_cut=hidden is not None and hidden.is_cut)
        kept = self._kept[key] = _Kept(line)
        if self._get_recorder().finds_again:
            return
        kept.visible, kept.hidden = visible, hidden
        kept.size = len(whole)
        self._in_memory += kept.size
        if self._in_memory > self._max_in_memory:
            async with self._writing:
                await self._make_room()

    async def read(self, key: str) -> str | None:
        """Return a whole result; None if it could not be kept.

        Raises:
            KeyError: There is none of this key.
        """
        kept = self._kept[key]
        if kept.is_lost:
            return None
        if kept.visible is not None:
            hidden = kept.hidden
            return kept.visible if hidden is None else hidden.put_into(kept.visible)
        if kept.in_file is not None:
            assert self._file is not None
            await asyncio.sleep(0)  # searches of one turn read one after the other
            begin, size = kept.in_file
            return os.pread(self._file.fileno(), size, begin).decode(errors="surrogatepass")
        step = await self._get_recorder().find_again(f"{key}", CALLED)
        if not isinstance(step, ToolStep):
            return None
        text = step.result.text
        return text if step.hidden is None else step.hidden.put_into(text)

    def close(self) -> None:
        """Give back what they take; nothing can be read afterwards."""
        self._kept.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    async def _make_room(self) -> None:
        """Move the oldest out of memory while there are too many."""
        for key, kept in tuple(self._kept.items()):
            if self._in_memory <= self._max_in_memory:
                return
            if kept.visible is None:
                continue
            try:
                kept.in_file = await self._write(kept.visible, kept.hidden)
            except OSError as error:
                kept.is_lost = True
                logger.warning("a tool result cannot be kept", key=key, reason=error.strerror)
            kept.visible = kept.hidden = None
            self._in_memory -= kept.size

    async def _write(self, visible: str, hidden: HiddenPart | None) -> tuple[int, int]:
        """Write a result behind the others, in pieces, if there is room; return where it stands."""
        if self._file is None:
            # Without a buffer, since what a full disk refuses would be written once more, at the
            # latest when the file is closed.
            self._file = TemporaryFile(buffering=0, prefix="arc-run-")  # noqa: SIM115 -- for the run
        begin = end = self._file.seek(0, os.SEEK_END)
        for piece in _cut(visible, hidden):
            data = piece.encode(errors="surrogatepass")
            if self._file.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            end += len(data)
            await asyncio.sleep(0)  # a result of megabytes would hold the event loop
        return begin, end - begin


def _cut(visible: str, hidden: HiddenPart | None) -> Iterator[str]:
    """Yield a whole result in pieces."""
    parts = (visible,) if hidden is None else hidden.parts(visible)
    for part in parts:
        for begin in range(0, len(part), _PIECE_CHARS):
            yield part[begin : begin + _PIECE_CHARS]


_DESCRIPTION = (
    "Reads a tool result of this run again that is not shown whole, or not any more. Its key "
    "stands in the line in its place. Give either `lines` or `find`."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "key": {
            "type": "string",
            "description": 'The key, as "tool/3"; without one, all results are searched.',
        },
        "lines": {"type": "string", "description": 'The lines to read, as "241-480".'},
        "find": {
            "type": "string",
            "description": "Words to find; the lines that have most of them, with their numbers.",
        },
    },
    "required": [],
    "additionalProperties": False,
}


class ReadResultTool(Tool):
    """Reads the kept results of one run."""

    cacheable = True
    timeout_s = None

    def __init__(self, kept: KeptResults, *, settings: AgentSettings) -> None:
        self.name, self.description, self.parameters = READ_RESULT, _DESCRIPTION, _PARAMETERS
        llm = settings.llm
        half_a_window = (llm.max_context_window_tokens - llm.max_output_tokens) // 2
        self._max_chars = min(settings.context.show_result_chars, half_a_window)
        self._kept = kept

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Return lines of a result, or the lines that have words.

        Raises:
            ToolRetry: There is no such result, or no such part of it; says what there is.
        """
        lines, find = arguments.get("lines"), arguments.get("find")
        key = arguments.get("key", EVERY_KEY).strip()
        texts = await self._read(key)
        try:
            if find is not None and lines is None:
                work = partial(find_passages, texts, find, max_chars=self._max_chars)
            elif lines is not None and find is None and key != EVERY_KEY:
                work = partial(
                    read_lines, texts[key], key=key, lines=lines, max_chars=self._max_chars
                )
            else:
                raise ToolRetry('give either key="tool/3" and lines="1-100", or find="words"')
            return await _compute(work, size=sum(map(len, texts.values())))
        except ValueError as problem:
            raise ToolRetry(str(problem)) from problem
        except NoThreadFreeError as busy:
            raise ToolRetry("results cannot be read at the moment; try again") from busy

    async def _read(self, key: str) -> Mapping[str, str]:
        wanted = self._kept.keys if key == EVERY_KEY else (key,)
        texts: dict[str, str] = {}
        for each in wanted:
            if each not in self._kept:
                raise ToolRetry(f"there is no result {key[:80]!r} in this run; {self._list_keys()}")
            text = await self._kept.read(each)
            if text is not None:
                texts[each] = text
        if not texts:
            raise ToolRetry(f"{key} could not be kept, since there was no room for it")
        return texts

    def _list_keys(self) -> str:
        keys = self._kept.keys
        listed = ", ".join(keys[-_MOST_LISTED:])
        more = f", and {len(keys) - _MOST_LISTED} before them" if len(keys) > _MOST_LISTED else ""
        return f'there are: {listed}{more}; "all" finds words in all of them'


async def _compute(work: Callable[[], str], *, size: int) -> str:
    return work() if size < _LONG_CHARS else await compute_in_thread(work)
