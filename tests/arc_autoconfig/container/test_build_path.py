"""Turns at building: one task at a time, and the code of components in between."""

import asyncio

import pytest

from arc_autoconfig.container.build_path import BuildPath
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.container.scope import finish_at_once
from arc_autoconfig.errors import NotOpenError
from tests.arc_autoconfig.building import container_of


def path() -> BuildPath:
    """The path of an application of nothing."""
    container, builder = container_of()
    overrides = ContainerOverrides(container, ())
    return BuildPath(builder._wiring, overrides)


async def test_a_second_task_waits_for_the_first_to_have_built() -> None:
    """Whatever the first waits for by itself."""
    building, log = path(), list[str]()

    async def build(name: str) -> None:
        async with building.turn(), building.enter(name):
            log.append(f"begin {name}")
            await asyncio.sleep(0)
            log.append(f"end {name}")

    async with asyncio.TaskGroup() as group:
        for name in ("a", "b"):
            group.create_task(build(name))

    assert log == ["begin a", "end a", "begin b", "end b"]


async def test_a_task_that_is_cancelled_while_it_builds_leaves_the_turn_to_others() -> None:
    """Also if it is cancelled in the code of a component."""
    building, began = path(), asyncio.Event()

    async def hang() -> None:
        async with building.turn(), building.enter("a"), building.lend():
            began.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hang())
    await began.wait()
    task.cancel()
    await asyncio.wait([task])

    async with asyncio.timeout(30), building.turn(), building.enter("a"):
        assert building.names == ["a"]


async def test_what_another_task_builds_cannot_be_had_at_once() -> None:
    """As from the provider of a container, which does not wait."""
    building, began = path(), asyncio.Event()

    async def ask() -> None:
        async with building.enter("a"):
            pass

    async def ask_at_once() -> None:
        await began.wait()
        with pytest.raises(NotOpenError, match="being opened"):
            finish_at_once(ask())

    asking = asyncio.create_task(ask_at_once())
    async with building.turn(), building.enter("a"), building.lend():
        began.set()
        await asking
