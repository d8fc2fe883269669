"""The components of an application, as the record of a run names them."""

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Allowed,
    ComponentRecord,
    Guard,
    GuardRequest,
    GuardResult,
    WiringRecord,
    service,
    tool,
)
from arc_core.testing import ScriptedChatModel


class CalmGuard(Guard):
    """Lets everything in."""

    async def check(self, request: GuardRequest) -> GuardResult:
        """Let it in."""
        return Allowed()


@tool
async def find(item: str) -> str:
    """Find an item."""
    return item


@service
class Recorder:
    """A component of the program that names what there is."""

    def __init__(self, wiring: WiringRecord) -> None:
        self.wiring = wiring


async def records(*parts: object, **settings: object) -> dict[str, ComponentRecord]:
    """Return the components of an open application, by place and name."""
    given = ArcSettings.model_validate(settings)
    async with Application(given, register=[ScriptedChatModel([]), Recorder, *parts]) as app:
        found = app.container.of(Recorder)().wiring.components()
    return {f"{each.place}: {each.name}": each for each in found}


async def test_components_are_named_with_package_and_version() -> None:
    """What the program registers itself has none."""
    found = await records(CalmGuard)

    engine, own = found["agent_executor: react"], found["guards: CalmGuard"]
    assert (engine.package, bool(engine.version)) == ("arc-agents", True)
    assert (own.package, own.version) == ("", "")
    assert own.type.endswith("test_wired_records:CalmGuard")


async def test_a_component_has_the_settings_that_it_was_made_with() -> None:
    """They are other as soon as one of them is; others stay."""
    before = await records()
    after = await records(guard={"max_input_chars": 77})

    name = "guards: input_validation"
    assert '"max_input_chars":77' in after[name].settings
    changed = [each for each in before if before[each].settings != after[each].settings]
    assert name in changed
    assert "approval_policy: marked_tools_only" not in changed


async def test_secrets_are_not_among_the_settings() -> None:
    """They would be known by their digests."""
    found = await records(llm={"api_key": "hunter2secret"})

    assert "hunter2secret" not in str([each.settings for each in found.values()])


async def test_the_members_are_the_objects_that_stand_in_the_place() -> None:
    """By which the package of a tool is found."""
    found = await records(find)

    [member] = found["tools: find"].members
    assert getattr(member, "name", "") == "find"
