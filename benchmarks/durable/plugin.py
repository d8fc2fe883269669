"""What `arc worker` is given to load: the components of a world that `BENCH_WORLD` describes.

The variable is JSON: `log`, and what a `World` is given besides.
"""

import json
import os
from pathlib import Path

from arc_core import ChatModel, Guard, Hook, Registry, Tool, hookimpl
from benchmarks.durable.world import World, parts_of

__all__ = ["arc_register"]


@hookimpl
def arc_register(registry: Registry) -> None:
    """Offer them."""
    options = json.loads(os.environ["BENCH_WORLD"])
    world = World(Path(options.pop("log")), **options)
    guard, hook, model, *tools = parts_of(world)
    registry.contribute(Guard, guard, name="bench_guard")
    registry.contribute(Hook, hook, name="bench_hook")
    registry.provide(ChatModel, model, name="bench_model")
    for tool in tools:
        registry.contribute(Tool, tool, name=tool.name)
