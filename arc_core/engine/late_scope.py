"""The scope of a run, which is opened only if a component is asked for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from arc_core.agents.agent import DEFAULT_AGENT
from arc_core.command import AgentCommand, identity_of
from arc_core.errors import ConfigurationError
from arc_core.interfaces.run_scope import MissingDeps, RunContext, RunScope, RunScopes


class LateRunScope(RunScope):
    """Costs a run nothing that does not ask for components.

    A copy of a context, deep or pickled, has none: it may outlive the run.

    Args:
        scopes: Opens the scope; None if there are no components.
        now: When the run was accepted; a later life of the run has that of the first.
    """

    __slots__ = (
        *("_has_ended", "_run_id", "_scope", "_scopes"),
        *("command", "deps", "metadata", "now"),
    )

    def __init__(
        self,
        scopes: RunScopes | None,
        *,
        run_id: str,
        command: AgentCommand,
        metadata: Mapping[str, Any],
        deps: Any = None,
        now: datetime,
    ) -> None:
        self._scopes, self._run_id = scopes, run_id
        self.command, self.metadata, self.deps, self.now = command, metadata, deps, now
        self._scope: RunScope | None = None
        self._has_ended = False

    async def get(self, wanted: Any) -> Any:
        """The component of a type; see `RunScope`."""
        return await self._open(wanted).get(wanted)

    def find_missing(self, tools: Iterable[str]) -> MissingDeps | None:
        """Return what keeps the run from offering tools; see `RunScopes`."""
        if self._scopes is None:
            return None
        return self._scopes.find_missing(tools, self.deps, agent=self.command.agent)

    async def close(self, error: BaseException | None) -> Sequence[str]:
        """Close what was opened; see `RunScope`."""
        scope = self.end()
        return () if scope is None else await scope.close(error)

    def end(self) -> RunScope | None:
        """Refuse to open the scope from now on, and return what has to be closed, if anything."""
        self._has_ended = True
        return self._scope

    def _open(self, wanted: object) -> RunScope:
        if self._scope is None:
            name = getattr(wanted, "__name__", str(wanted))
            if self._has_ended:
                raise ConfigurationError(
                    f"a {name} was asked for after the end of the run {self._run_id}",
                    remedy="ask for it while the run goes on",
                )
            if self._scopes is None:
                raise ConfigurationError(
                    f"a {name} was asked for in a run that has no components of its own",
                    remedy="run the agent by an Application, or give the engine `run_scopes`",
                )
            self._scope = self._scopes.open(self.context)
        return self._scope

    @property
    def context(self) -> RunContext:
        """The run that the components belong to."""
        command = self.command
        return RunContext(
            run_id=self._run_id,
            agent=command.agent or DEFAULT_AGENT,
            user_id=identity_of(command.user_id),
            session_id=command.session_id,
            tenant_id=command.tenant_id,
            metadata=self.metadata,
            deps=self.deps,
            now=self.now,
            scope=self,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()
