"""How well a model finds one of 1 000 tools, and at what size: `python -m benchmarks.tool_search`.

The tools are functions of Python's standard library, described by the beginning of their own
documentation, and a hundred in Korean. Each of 500 tasks is a sentence from there. A model that
knows no more than that sentence looks for it by `find_tools`, and calls the tool by `use_tool` if
it is among those that were found. What is measured are the bytes that a vendor on loopback has
received. Each line of the table has

- the share of tasks whose tool was called, with one search and one call;
- the tokens of a request, on average and at most, by OpenAI's own count;
- of the bytes of each request, the share that comes again unchanged at the beginning of the next.
"""

import argparse
import asyncio
import importlib
import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import fmean
from typing import Any

from arc_core import AgentCommand, Message, Tool, ToolContext
from arc_core.settings import AgentSettings, LlmSettings
from arc_core.testing import scripted_agent
from arc_core.testing.conformance.components import running
from arc_core.testing.fakes import ListConversationManager
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.estimators.bpe.estimator import BpeTokenEstimator
from arc_plugins.estimators.heuristic import HeuristicTokenEstimator
from arc_plugins.selectors.lexical.search import SearchToolSelector
from arc_plugins.selectors.settings import SelectionSettings
from benchmarks.prefix_figures import count_common_bytes, remove_cache_marks
from benchmarks.prefix_vendors import VENDORS, VendorForm

_MODULES = (
    "argparse array ast asyncio base64 bisect bz2 calendar cmath cmd code codecs collections "
    "colorsys concurrent.futures configparser contextlib contextvars copy copyreg csv dataclasses "
    "datetime decimal difflib dis doctest email.message email.utils enum filecmp fileinput fnmatch "
    "fractions ftplib functools gc getopt getpass gettext glob graphlib gzip hashlib heapq hmac "
    "html http.client http.cookiejar http.cookies http.server imaplib inspect io ipaddress "
    "itertools json linecache locale logging lzma mailbox math mimetypes mmap multiprocessing "
    "netrc operator optparse os os.path pathlib pdb pickle pickletools pkgutil platform plistlib "
    "poplib pprint pstats queue random re runpy sched secrets select selectors shelve shlex shutil "
    "signal smtplib socket socketserver sqlite3 ssl stat statistics string struct subprocess "
    "symtable sys tarfile tempfile textwrap threading time timeit tokenize trace traceback types "
    "typing unicodedata unittest unittest.mock urllib.error urllib.parse urllib.request "
    "urllib.robotparser uuid warnings wave weakref wsgiref.handlers wsgiref.headers "
    "xml.dom.minidom xml.etree.ElementTree xml.sax.handler xml.sax.saxutils xml.sax.xmlreader "
    "xmlrpc.client xmlrpc.server zipapp zipfile zipimport zlib zoneinfo"
)
_SUBJECTS_KO = (
    "청구서 고객 계약 직원 휴가 회의실 프린터 서버 데이터베이스 백업 인증서 문의 저장소 브랜치 "
    "주문 배송 창고 공급업체 가격표 캠페인 소식지 설문 예산 경비 주차권"
)
_VERBS_KO = {"find": "찾습니다", "create": "만듭니다", "change": "고칩니다", "delete": "지웁니다"}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_MAX_SENTENCES = 3
_MAX_CHARS = 400
_LEAST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Task:
    """A task, and the name of the tool that does it."""

    text: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A line of the table.

    Attributes:
        found: Of the tasks, the share whose tool was called.
        tokens: Of a request, on average.
        most_tokens: Of the longest request.
        kept: Of the bytes of requests, the share that the next one of their run begins with.
    """

    found: float
    tokens: float
    most_tokens: int
    kept: float


class DocumentedTool(Tool):
    """A tool that does nothing.

    Attributes:
        sentences: Of its description.
    """

    timeout_s = None

    def __init__(
        self, name: str, sentences: Sequence[str], *, category: str, parameters: Sequence[str] = ()
    ) -> None:
        self.name, self.sentences, self.category = name, sentences, category
        self.description = " ".join(sentences)
        properties = {each: {"type": "string"} for each in parameters}
        self.parameters: Mapping[str, Any] = {"type": "object", "properties": properties}

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Nothing but its name."""
        del arguments, context
        return f"{self.name} is done."


def make_tools(count: int) -> list[DocumentedTool]:
    """So many tools, a tenth of them in Korean, in an order that is the same each time."""
    korean = list(_make_korean())[: count // 10]
    english = list(_read_library())
    Random(7).shuffle(english)
    return [*english[: count - len(korean)], *korean]


def _make_korean() -> Iterator[DocumentedTool]:
    for subject_number, subject in enumerate(_SUBJECTS_KO.split()):
        for verb, text in _VERBS_KO.items():
            sentences = [f"{subject} 자료를 번호로 {text}.", "서울 본사에서 씁니다."]
            yield DocumentedTool(
                f"{verb}_record_{subject_number}", sentences, category="office", parameters=["번호"]
            )


def _read_library() -> Iterator[DocumentedTool]:
    """The public functions and methods that have documentation of their own."""
    seen: set[str] = set()
    for module_name in _MODULES.split():
        module = importlib.import_module(module_name)
        for name, function in _list_functions(module):
            text = " ".join((inspect.getdoc(function) or "").split())
            sentences = _SENTENCE.split(text)[:_MAX_SENTENCES]
            full_name = f"{module_name}_{name}".replace(".", "_")[:64]
            long_enough = len(text.split()) >= _LEAST_WORDS and len(sentences) > 1
            if long_enough and not {text, full_name} & seen:
                seen |= {text, full_name}
                yield DocumentedTool(
                    full_name,
                    [each[: _MAX_CHARS // len(sentences)] for each in sentences],
                    category=module_name,
                    parameters=_list_parameters(function),
                )


def _list_functions(module: Any) -> Iterator[tuple[str, Any]]:
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isroutine(value):
            yield name, value
        elif inspect.isclass(value):
            for method, function in sorted(vars(value).items()):
                if not method.startswith("_") and inspect.isroutine(function):
                    yield f"{name}_{method}", function


def _list_parameters(function: Any) -> Sequence[str]:
    with suppress(TypeError, ValueError):
        return [each for each in inspect.signature(function).parameters if each != "self"]
    return ()


def make_tasks(tools: Sequence[DocumentedTool], count: int) -> list[Task]:
    """A sentence of so many tools, not always the first."""
    chosen = Random(11)
    tasks = []
    for tool in chosen.sample(list(tools), count):
        sentences = [each for each in tool.sentences if len(each.split()) >= _LEAST_WORDS]
        tasks.append(Task(chosen.choice(sentences or tool.sentences), tool.name))
    return tasks


class _NewConversations(ListConversationManager):
    """Begins each run with an empty conversation."""

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """Nothing."""
        del command
        return ()


class _Searcher:
    """A vendor whose model looks for a tool by the words of its task, and calls it if it is found.

    Attributes:
        called: The names of the tools that it has called.
    """

    def __init__(self, form: VendorForm, tasks: Sequence[Task]) -> None:
        self._form, self._left = form, iter(tasks)
        self._task: Task | None = None
        self.called: list[str] = []

    def reply(self, request: ReceivedRequest) -> Reply:
        """Search, then call, then answer."""
        last = json.dumps(request.json()[self._form.messages][-1], ensure_ascii=False)
        if "Task: " in last:
            self._task = next(self._left)
            return self._call("find_tools", {"query": self._task.text})
        assert self._task is not None
        if f'\\"name\\":\\"{self._task.name}\\"' not in last:
            return Reply.json(self._form.answer("Done.", None))
        self.called.append(self._task.name)
        return self._call("use_tool", {"name": self._task.name, "arguments": {}})

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        return Reply.json(self._form.answer("", name, arguments))


async def measure(form: VendorForm, *, tools: int, tasks: int) -> Figures:
    """The figures of so many tasks, each in a run of its own."""
    offered = make_tools(tools)
    asked = make_tasks(offered, tasks)
    searcher = _Searcher(form, asked)
    runs: list[list[bytes]] = []
    async with VendorServer(*[searcher.reply] * (4 * tasks)) as server:
        llm = LlmSettings(base_url=f"{server.url}{form.path}", system_prompt="Do what is asked.")
        async with running(form.model(llm)) as model:
            agent = scripted_agent(
                model,
                AgentSettings(llm=llm),
                tools=tuple(offered),
                conversation_manager=_NewConversations(),
                tool_selector=SearchToolSelector(
                    settings=SelectionSettings(), token_estimator=HeuristicTokenEstimator()
                ),
            )
            for task in asked:
                before = len(server.requests)
                result = await agent.execute(AgentCommand(user_prompt=f"Task: {task.text}"))
                assert result.success, result.error_message
                runs.append([each.body for each in server.requests[before:]])
    return _count(runs, found=len(searcher.called) / tasks)


def _count(runs: Sequence[Sequence[bytes]], *, found: float) -> Figures:
    estimate = BpeTokenEstimator(settings=LlmSettings()).estimate
    tokens = [estimate(body.decode()) for run in runs for body in run]
    kept, sent = 0, 0
    for before, now in (pair for run in runs for pair in pairwise(map(remove_cache_marks, run))):
        kept, sent = kept + count_common_bytes(before, now), sent + len(before)
    return Figures(
        found=found, tokens=fmean(tokens), most_tokens=max(tokens), kept=kept / (sent or 1)
    )


async def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tool_search", description=__doc__)
    parser.add_argument("--tools", type=int, default=1_000, help="that there are (1000)")
    parser.add_argument("--tasks", type=int, default=500, help="each with a tool (500)")
    asked = parser.parse_args()
    os.environ |= {"OPENAI_API_KEY": "sk-bench", "ANTHROPIC_API_KEY": "sk-bench"}
    print(f"{'':18}{'found':>7} {'tokens':>7} {'at most':>8} {'kept':>7}")
    for name, form in VENDORS.items():
        figures = await measure(form, tools=asked.tools, tasks=asked.tasks)
        print(
            f"{name:18}{figures.found:7.1%} {figures.tokens:7.0f} {figures.most_tokens:8} "
            f"{figures.kept:7.1%}"
        )


if __name__ == "__main__":
    asyncio.run(main())
