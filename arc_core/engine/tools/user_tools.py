"""Tools that are listed for the user of a run alone, who may have to log in before that."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from arc_core.agents.agent import Agent
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.journal.recorder import start_login_key
from arc_core.engine.journal.records import QuestionStep
from arc_core.engine.run_limits import tool_call_limit
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tools.tool_inventory import ToolInventory, may_name
from arc_core.engine.tools.user_requests import (
    MAX_LOGINS,
    AskingParts,
    MakeStep,
    UserRequests,
    get_owner,
    make_tool_context,
)
from arc_core.errors import ConfigurationError, CredentialError, ToolRetry
from arc_core.interfaces.credentials import Credential
from arc_core.interfaces.tools.tool import Tool
from arc_core.interfaces.tools.tool_requests import ToolRequests
from arc_core.interfaces.tools.user_tool_source import UserToolSource
from arc_core.log import get_logger
from arc_core.runs.journal import RunSuspended, join_suspensions

logger = get_logger("tools")

_START = "start"
_NOT_A_CALL = "to list tools is not a call, and asks the user for logins alone"


@dataclass(frozen=True, slots=True, eq=False)
class _StartRequests(ToolRequests):
    """The requests of a source that lists tools for the user of a run."""

    asker: UserRequests
    may_ask: bool

    async def credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential:
        """Return a credential of the user, who may have to log in; see `ToolContext.credential`."""
        asker, numbers, asked = self.asker, count(1), count(1)

        async def begin_next(make_step: MakeStep) -> tuple[str, QuestionStep]:
            if not self.may_ask:
                problem = "the user has not logged in, and is not asked again in this run"
                raise CredentialError(problem, service=service)
            if next(asked) > MAX_LOGINS:
                problem = f"no credential of {MAX_LOGINS} logins has been good for this run"
                raise CredentialError(problem, service=service)
            for number in numbers:
                key, logins = start_login_key(number), asker.run.start_logins
                if number > len(logins):
                    logins.append(await asker.begin(key, make_step))
                if logins[number - 1].service == service:
                    return key, logins[number - 1]
            raise AssertionError("numbers have no end")

        return await asker.await_credential(
            service, rejected=rejected, scopes=scopes, begin_next=begin_next
        )

    async def ask(self, *_: object, **__: object) -> dict[str, object]:
        """Refuse."""
        raise ConfigurationError(_NOT_A_CALL, remedy="ask when the tool is called")

    async def begin(self) -> None:
        """Refuse."""
        raise ConfigurationError(_NOT_A_CALL, remedy="begin effects when the tool is called")

    async def recall(self) -> Sequence[str]:
        """Return nothing: nothing is remembered."""
        return ()

    async def remember(self, text: str) -> None:
        """Remember nothing: the list is asked for anew."""

    @property
    def is_handed_over(self) -> bool:
        """False: the list is asked for anew, wherever the run goes on."""
        return False


class UserTools:
    """Learns which tools servers have for the user of a run, for the agent that answers."""

    def __init__(
        self,
        inventory: ToolInventory,
        *,
        agents: Sequence[Agent],
        parts: AskingParts,
        max_tool_calls: int,
    ) -> None:
        self._inventory, self.has_sources = inventory, bool(inventory.user_sources)
        self._names = {agent.name: agent.tool_names for agent in agents}
        self._parts, self._max_tool_calls = parts, max_tool_calls

    def are_used_by(self, run: ActiveRun) -> bool:
        """Return True if the agent that answers may use some."""
        return bool(self._choose_places(run))

    def _choose_places(self, run: ActiveRun) -> Sequence[tuple[UserToolSource, str]]:
        command = run.command
        names = None if command.agent is None else self._names.get(command.agent)
        if not tool_call_limit(command, allowed=self._max_tool_calls):
            return ()
        places = self._inventory.find_user_places()
        return [each for each in places if names is None or may_name(names, each[1])]

    async def learn(self, run: ActiveRun, *, may_ask: bool = True) -> None:
        """Learn the tools that the agent may use; the user is asked for all logins at once.

        What a run above has learned is known, also that the user has denied a login. A run that has
        begun before may not ask.

        Raises:
            RunSuspended: Logins are waited for.
        """
        suspended: list[RunSuspended] = []
        for source, qualifier in self._choose_places(run):
            if qualifier in run.user_tools:
                continue
            known = _find_known(run, qualifier)
            if known is None:
                try:
                    known = await self._list(run, source, qualifier, may_ask=may_ask)
                except RunSuspended as waiting:
                    suspended.append(waiting)
                    continue
            run.user_tools[qualifier] = known
        if suspended:
            raise join_suspensions(suspended)

    async def _list(
        self, run: ActiveRun, source: UserToolSource, qualifier: str, *, may_ask: bool
    ) -> Sequence[Tool]:
        """Return the tools of one place; none if the user has not logged in, or it fails.

        If a login is waited for, a `RunSuspended` leaves, whatever the source has made of it.
        """
        asker = UserRequests(run=run, parts=self._parts, place=_START, tool=f"{qualifier}*")
        context = make_tool_context(run, _StartRequests(asker, may_ask=may_ask))
        suspended: RunSuspended | None = None

        async def list_tools() -> Sequence[Tool]:
            nonlocal suspended
            try:
                return await source.list_for(qualifier, context)
            except RunSuspended as waiting:
                suspended = waiting
                return ()

        try:
            found = await self._parts.boundary.call(policies.USER_TOOLS, source, list_tools)
        except (CredentialError, ToolRetry) as error:
            logger.warning(
                "tools are not offered, as there is no credential of the user",
                tools=f"{qualifier}*",
                cause=str(error),
            )
            found = ()
        requests = run.below.requests.pop(_START, None)
        if suspended is not None or requests is not None:
            raise suspended or RunSuspended(requests or ())
        return () if isinstance(found, Failed) else self._inventory.drop_unusable(source, found)


def _find_known(run: ActiveRun, qualifier: str) -> Sequence[Tool] | None:
    """Return what a run above for the same user knows of a place; None if it has not asked."""
    owner = get_owner(run)
    known = (
        each.user_tools.get(qualifier) for each in run.list_lineage() if get_owner(each) == owner
    )
    return next((tools for tools in known if tools is not None), None)
