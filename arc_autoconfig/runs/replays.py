"""The replay of recordings with the wiring of an application."""

from collections.abc import Iterable
from functools import partial

from arc_autoconfig.container.application_scope import ApplicationScope
from arc_autoconfig.errors import UnknownNameError
from arc_core.components.extension_points import get_place
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.errors import ConfigurationError
from arc_core.evaluation.case_files import make_case
from arc_core.evaluation.preparation import CannotJudgeError, index_by_name, make_deps
from arc_core.interfaces.evaluation.case_deps import CaseDeps
from arc_core.interfaces.guards.output_guard import OutputGuard
from arc_core.interfaces.guards.text_mask import TextMask
from arc_core.recordings import RecordingMasks
from arc_core.replay.replay import Replay
from arc_core.runs.journal import Recording
from arc_core.settings import AgentSettings


async def make_replay(
    builder: ApplicationScope,
    *,
    settings: AgentSettings,
    deps: object = None,
    case_deps: str | None = None,
    live: bool = False,
) -> Replay:
    """Return the replay of an application, which need not be started unless it is `live`.

    Raises:
        ConfigurationError: A component cannot be built, there is another engine, or there are no
            deps of that name.
    """
    builder.build_all()
    engine = _find_engine([each.component for each in builder.built])
    masks = await builder.value(get_place(TextMask).name)
    guards = builder.component(get_place(OutputGuard).name)
    if case_deps is not None:
        found = index_by_name(await builder.value(get_place(CaseDeps).name), "deps")
        if case_deps not in found:
            raise UnknownNameError(setting="--deps", name=case_deps, known=list(found))
        make_deps = partial(_make_deps, found[case_deps], Boundary(settings=settings))
    else:
        make_deps = partial(_hand_over, deps)
    return Replay(engine, masks=RecordingMasks(masks, guards), make_deps=make_deps, live=live)


async def _hand_over(deps: object, _: Recording) -> object:
    return deps


async def _make_deps(maker: CaseDeps, boundary: Boundary, recording: Recording) -> object:
    try:
        return await make_deps(maker, make_case(recording), boundary)
    except CannotJudgeError as error:
        raise ConfigurationError(
            f"the run {recording.run_id} cannot be replayed",
            evidence=[str(error)],
            remedy="see the log, and repair the component, or replay without --deps",
        ) from None


def _find_engine(components: Iterable[object]) -> ReActAgentExecutor:
    engine = next((each for each in components if isinstance(each, ReActAgentExecutor)), None)
    if engine is None:
        raise ConfigurationError(
            "recordings are replayed by Arc's own engine, and another one is wired",
            remedy="leave the component for the slot `agent_executor` out, or have it wrap "
            "Arc's engine",
        )
    return engine
