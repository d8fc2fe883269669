"""Suites that a test class inherits together: none hides a test of another."""

import inspect
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from pkgutil import walk_packages

from arc_core.testing import conformance


def find_suites() -> Iterator[type]:
    """Every class with tests in the package of conformance suites."""
    for found in walk_packages(conformance.__path__, f"{conformance.__name__}."):
        for value in vars(import_module(found.name)).values():
            is_own = inspect.isclass(value) and value.__module__ == found.name
            if is_own and any(name.startswith("test_") for name in vars(value)):
                yield value


def test_no_two_suites_define_a_test_of_one_name() -> None:
    """A class that inherits both would run one of the two, unless it is meant to replace it."""
    owners = defaultdict(list)
    for suite in find_suites():
        for name in vars(suite):
            if name.startswith("test_"):
                owners[name].append(suite)

    twins = {
        f"{one.__name__} and {other.__name__}: {name}"
        for name, suites in owners.items()
        for one, other in combinations(suites, 2)
        if not issubclass(one, other) and not issubclass(other, one)
    }
    assert len(owners) > 100, "the suites are not found"
    assert twins == set()
