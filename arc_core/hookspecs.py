"""Hook specifications by which plugin packages register components; the door to pluggy.

A plugin is a module, class or object named by an entry point of the group `arc`:

    from arc_core import Guard, Registry, hookimpl

    @hookimpl
    def arc_register(registry: Registry) -> None:
        registry.contribute(Guard, "acme_arc.pii:PiiGuard")
"""

from collections.abc import Sequence
from typing import Protocol

import pluggy

from arc_core.components.registration import Lifecycle, ScopeName
from arc_core.conditions import Condition

PROJECT_NAME = "arc"

hookspec = pluggy.HookspecMarker(PROJECT_NAME)
hookimpl = pluggy.HookimplMarker(PROJECT_NAME)
"""Marks the functions of a plugin that Arc calls, such as `arc_register`."""


class Registry(Protocol):
    """Takes what a plugin brings; nothing is built or imported before it is known to be used.

    A component is an instance, a class or another callable that makes one (its parameters are
    injected by annotation), or the place of one of these as text, `package.module:attribute`, which
    is imported only when it is used.
    """

    def contribute(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        before: Sequence[str] = (),
        after: Sequence[str] = (),
        replaces: str | None = None,
        condition: Condition | None = None,
    ) -> None:
        """Add a component to the many of an interface: guards, hooks, response filters, tools.

        Args:
            interface: One declared with `@contribution`: `Guard`, `Hook`, `ResponseFilter`, `Tool`,
                or another package's.
            component: See above.
            name: How settings and the report call it; None derives it from the component.
            before: Names of components that come after this one, whatever their `order`.
            after: Names of components that come before this one.
            replaces: The name of a component that is left out for this one.
            condition: When it takes part; None is always.

        Raises:
            ConfigurationError: The interface takes no contributions, or the component is of another
                type.
        """
        ...

    def provide(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        primary: bool = False,
        scope: ScopeName = "application",
        condition: Condition | None = None,
        lifecycle: Lifecycle | None = None,
    ) -> None:
        """Offer the one component of a slot or of a type; Arc's default steps back for it.

        Args:
            interface: One declared with `@slot`, such as `ResponseCache`, or any other class: the
                component is then injected wherever that type is asked for.
            component: See above.
            name: What `components.<slot>` calls it; None derives it from the component.
            primary: Whether it wins against other plugins' candidates without being chosen.
            scope: `run` makes one for each run, when it is first asked for; `each` a new one each
                time it is asked for.
            condition: When it takes part; None is always.
            lifecycle: How it is started, checked and closed, if it cannot say so itself.

        Raises:
            ConfigurationError: The interface is a contribution's, or the component is of another
                type.
        """
        ...

    def decorate(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        order: int = 100,
        condition: Condition | None = None,
    ) -> None:
        """Wrap the component of a slot, or each component of a contribution.

        Args:
            interface: Of what is wrapped.
            component: A class or function that takes what it wraps as its one parameter of that
                type; the others are injected.
            name: How the report calls it; None derives it from the component.
            order: Lower is further out.
            condition: When it takes part; None is always.

        Raises:
            ConfigurationError: The component is of another type.
        """
        ...


class ArcSpecs:
    """The hooks a plugin may implement."""

    @hookspec
    def arc_register(self, registry: Registry) -> None:
        """Register components; called once, at start-up, before anything is built."""
