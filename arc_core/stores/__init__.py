"""Servers and files in which several plugins keep something: Redis and SQL databases.

Each module needs an extra, and is imported by the plugins that use it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from arc_core.errors import ConfigurationError

__all__ = ["explain_missing_extra"]


@contextmanager
def explain_missing_extra(extra: str) -> Iterator[None]:
    """Say which extra has the package that the body imports.

    Raises:
        ConfigurationError: The package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the package {error.name} is not installed",
            remedy=f'pip install "arc-agents[{extra}]"',
        ) from error
