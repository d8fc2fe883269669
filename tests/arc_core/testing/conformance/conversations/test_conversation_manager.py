"""The suite for managers fails for managers that break their contract."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ConversationManager,
    Message,
    UserMessage,
    identity_of,
)
from arc_core.testing.conformance.conversations.conversation_manager import (
    ConversationManagerConformance,
)
from tests.arc_core.testing.conformance.suites import Fault, FindsFaultOfEveryRule, make_good_suite

Owner = tuple[str, str | None]


class DictManager(ConversationManager):
    """A good manager, as simple as can be."""

    def __init__(self) -> None:
        self.sessions: defaultdict[str, list[Message]] = defaultdict(list)
        self.owners: dict[str, Owner] = {}
        self.runs: set[str] = set()

    def key(self, command: AgentCommand) -> str:
        return f"{command.tenant_id}/{command.session_id}"

    def owner(self, command: AgentCommand) -> Owner:
        return identity_of(command.user_id), command.tenant_id

    def is_open_to(self, command: AgentCommand) -> bool:
        owner = self.owner(command)
        is_own = self.owners.get(self.key(command), owner) == owner
        return command.session_id is not None and is_own

    def is_kept(self, result: AgentResult) -> bool:
        return result.success and bool((result.content or "").strip())

    def is_new(self, run_id: str) -> bool:
        return not run_id or run_id not in self.runs

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        return list(self.sessions[self.key(command)]) if self.is_open_to(command) else ()

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        if self.is_open_to(command) and self.is_kept(result) and self.is_new(result.run_id):
            self.runs.add(result.run_id)
            self.owners[self.key(command)] = self.owner(command)
            await self.write(self.key(command), command.user_prompt, result.content or "")

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        await self.save_history(command, AgentResult(success=True, content=content))

    async def write(self, session_id: str, question: str, answer: str) -> None:
        self.sessions[session_id] += [UserMessage(question), AssistantMessage(answer)]


TestDictManager = make_good_suite(ConversationManagerConformance, DictManager)


class StreamlessManager(DictManager):
    """Keeps nothing of streams."""

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Forget it."""


class OpenManager(DictManager):
    """Every user may read and write, session or not."""

    def is_open_to(self, command: AgentCommand) -> bool:
        return True


class PeekingManager(DictManager):
    """Looks the owner up before it loads."""

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        is_open = self.is_open_to(command)
        await asyncio.sleep(0)
        return list(self.sessions[self.key(command)]) if is_open else ()


class ExactManager(DictManager):
    """Tells blank names apart."""

    def owner(self, command: AgentCommand) -> Owner:
        return repr(command.user_id), command.tenant_id


class HoardingManager(DictManager):
    """Keeps whatever came of a run."""

    def is_kept(self, result: AgentResult) -> bool:
        return True


class RepeatingManager(DictManager):
    """Keeps a run as often as it is saved."""

    def is_new(self, run_id: str) -> bool:
        return True


class HalvingManager(DictManager):
    """Writes question and answer one after the other."""

    async def write(self, session_id: str, question: str, answer: str) -> None:
        self.sessions[session_id].append(UserMessage(question))
        await asyncio.sleep(0)
        self.sessions[session_id].append(AssistantMessage(answer))


class DeafManager(DictManager):
    """Goes on when it is cancelled."""

    async def write(self, session_id: str, question: str, answer: str) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not answer:
                raise


class IdManager(DictManager):
    """Knows ids, and no tenants."""

    def key(self, command: AgentCommand) -> str:
        return str(command.session_id)


ORPHANED = "no_answer_leaves_no_orphaned_question"
FAULTS = [
    Fault(object, "it_is_a_conversation_manager"),
    Fault(StreamlessManager, "what_is_saved_is_loaded"),
    Fault(OpenManager, "a_command_without_session_has_no_history"),
    Fault(OpenManager, "a_session_is_its_owners", "bob"),
    Fault(IdManager, "tenants_have_histories_of_their_own"),
    Fault(PeekingManager, "a_quick_stranger_loads_nothing"),
    Fault(ExactManager, "no_name_is_one_name", ""),
    *(
        Fault(
            HoardingManager,
            "no_answer_leaves_no_orphaned_question",
            AgentResult(success=success, content=content),
        )
        for success, content in ((True, ""), (False, None))
    ),
    Fault(RepeatingManager, "a_run_is_kept_once"),
    Fault(HalvingManager, "concurrent_runs_stay_in_pairs"),
    Fault(DeafManager, "a_cancelled_save_is_cancelled"),
]


class TestFaults(FindsFaultOfEveryRule):
    """Each of them is found."""

    suite, faults = ConversationManagerConformance, FAULTS
