"""The tools and agents of an application, for those who decide about calls."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from arc_autoconfig.containment import Contained
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.agents.tools import ask_name, transfer_name
from arc_core.engine.agents.agent_profiles import every_agent
from arc_core.engine.answers.schema_checks import parse_arguments
from arc_core.errors import DecisionError, InvalidDecisionError, ToolArgumentsError
from arc_core.interfaces.tools.tool import Tool, ToolSource
from arc_core.interfaces.tools.user_tool_source import UserToolSource
from arc_core.log import get_logger
from arc_core.requests import Answer, ApprovalRequest, Approve, Deny, QuestionRequest, Request
from arc_core.runs.requests import find_requests
from arc_core.runs.store import RunStore
from arc_core.text.masking import MASK
from arc_core.tools.json_schema import find_problems

logger = get_logger("runs")

_NAMED_RUNS = 5


class KnownTools:
    """Knows what calls that wait need, and checks arguments as the engine does.

    Args:
        tools: Those that are wired, and what brings tools.
        agents: May have tools of their own.
    """

    def __init__(self, tools: Iterable[Tool | ToolSource], agents: Iterable[Agent]) -> None:
        self._wired = tuple(tools)
        agents = every_agent(tuple(agents), self._wired)
        self._own = tuple(tool for agent in agents for tool in agent.own_tools)
        self._agents = {DEFAULT_AGENT, *(agent.name for agent in agents)}
        self._asking = {ask_name(name) for agent in agents for name in agent.delegates}
        self._asking |= {transfer_name(name) for agent in agents for name in agent.handoffs}

    def find_missing_agent(self, names: Iterable[str]) -> str:
        """Name the first agent that is not there; empty if all are."""
        return next(
            (f"its agent {name!r} is not there" for name in names if name not in self._agents), ""
        )

    async def find_obstacle(
        self, request: Request, changed: Mapping[str, Any] | None = None
    ) -> str:
        """Say why a call cannot be made if it is approved; empty if it can.

        Args:
            request: What is asked of a person.
            changed: What they have written in the place of its arguments, which is checked before.
        """
        name = request.tool
        if name in self._asking:
            return ""
        if not any(True for _ in self._find(name)):
            return "" if self._lists_for_users() else f"the tool {name!r} is not there"
        is_checked = isinstance(request, ApprovalRequest) and request.is_checked
        if changed is not None or not is_checked:
            return ""
        problems = await self.problems(name, request.arguments)
        if not problems:
            return ""
        return f"the tool {name!r} does not take the arguments any more: {'; '.join(problems)}"

    async def problems(self, name: str, arguments: Mapping[str, Any]) -> Sequence[str]:
        """Return what in the arguments does not fit a tool; nothing if it is not known now.

        Several tools of a name, as agents may have them, are fit by what fits one of them.
        """
        problems: Sequence[str] = ()
        text = json.dumps(dict(arguments))
        for tool in self._find(name):
            with Contained() as attempt:
                await parse_arguments(tool, text)
            if not isinstance(attempt.error, ToolArgumentsError):
                return ()  # it fits, or the engine has to see
            problems = problems or attempt.error.problems
        return problems

    def _find(self, name: str) -> Iterator[Tool]:
        for each in (*self._own, *self._wired):
            if isinstance(each, Tool):
                tools: Sequence[Tool] = (each,)
            else:
                tools = ()
                with Contained():  # a source that fails has no tools
                    tools = each.tools()
            yield from (tool for tool in tools if tool.name == name)

    def _lists_for_users(self) -> bool:
        """Return True if users may have tools of their own, which only the engine can see."""
        with Contained():
            sources = (each for each in self._wired if isinstance(each, UserToolSource))
            return any(each.user_qualifiers for each in sources)
        return True

    async def check_decision(
        self, request: Request, answer: Approve | Answer | Deny, agent: str
    ) -> None:
        """Refuse a decision that its run could not go on with here.

        Args:
            request: What was asked of a person.
            answer: What the person has decided.
            agent: That the run was asked of, which may have asked the one that calls.

        Raises:
            DecisionError: Its agent is gone; or, if the tool is to be called, that is gone, or does
                not take the arguments any more.
            InvalidDecisionError: What the person has written does not fit the tool or the question.
        """
        obstacle = self.find_missing_agent([request.agent, agent])
        if not obstacle and not isinstance(answer, Deny):
            changed = answer.arguments if isinstance(answer, Approve) else None
            obstacle = await self.find_obstacle(request, changed)
        if obstacle:
            problem = f"{obstacle}; deploy it again, or cancel the run"
            raise DecisionError(problem, run_id=request.run_id, key=request.key)
        problems: Sequence[str] = ()
        if isinstance(answer, Approve) and answer.arguments is not None:
            problems = await self._problems_of_change(request, answer.arguments)
        elif isinstance(answer, Answer) and isinstance(request, QuestionRequest):
            problems = await _find_problems_of_answer(request, answer.values)
        if problems:
            place = "answer" if isinstance(answer, Answer) else "arguments"
            raise InvalidDecisionError("; ".join(problems), request=request, place=place)

    async def _problems_of_change(
        self, request: Request, arguments: Mapping[str, Any]
    ) -> Sequence[str]:
        if not _is_json(arguments):
            return ["the arguments have something that JSON cannot carry"]
        if masked := [f"{name} is masked" for name in _find_masks(request.arguments, arguments)]:
            return [*masked, "write what is meant, or approve the arguments as they are"]
        return await self.problems(request.tool, arguments)

    async def report_obstacles(self, store: RunStore) -> None:
        """Log what keeps runs that wait from going on in this process."""
        found: dict[str, list[str]] = {}
        try:
            for request in await find_requests(store):
                obstacle = self.find_missing_agent([request.agent])
                if obstacle := obstacle or await self.find_obstacle(request):
                    found.setdefault(obstacle, []).append(request.run_id)
        except OSError as error:  # the database is away, which the store tells
            logger.warning("runs that wait could not be read", error_type=type(error).__name__)
            return
        for obstacle, run_ids in found.items():
            logger.warning(
                "runs that wait cannot go on in this process",
                obstacle=obstacle,
                runs=len(run_ids),
                run_ids=run_ids[:_NAMED_RUNS],
                remedy="deploy it again, or cancel them: arc runs cancel",
            )


def _is_json(values: Mapping[str, Any]) -> bool:
    with suppress(TypeError, ValueError):
        return bool(json.dumps(dict(values), allow_nan=False))
    return False


async def _find_problems_of_answer(
    question: QuestionRequest, values: Mapping[str, Any]
) -> Sequence[str]:
    """Return what in an answer does not fit the schema of its question."""
    if not _is_json(values):
        return ["the answer has something that JSON cannot carry"]
    return await find_problems(dict(values), question.schema, root="answer", quotes=False)


def _find_masks(shown: object, given: object, place: str = "arguments") -> Sequence[str]:
    """Find where the mask that a person was shown has come back in the place of a secret."""
    if given == MASK and shown == MASK:
        return [place]
    pairs: list[tuple[object, object, object]] = []
    if isinstance(shown, Mapping) and isinstance(given, Mapping):
        pairs = [(name, shown[name], given[name]) for name in given if name in shown]
    elif isinstance(shown, list | tuple) and isinstance(given, list | tuple):
        pairs = [(at, *two) for at, two in enumerate(zip(shown, given, strict=False))]
    return [found for name, old, new in pairs for found in _find_masks(old, new, f"{place}.{name}")]
