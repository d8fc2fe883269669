"""The application that a program makes, for commands that are given its place: `shop:app`."""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.options import given_options
from arc_autoconfig.cli.wiring import application_for, log_as
from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.errors import describe_cause, locate_source, nearest


def application_at(ctx: click.Context, place: str | None) -> Application:
    """The application that a program makes, not started; without a place that of the settings."""
    if place is None:
        return application_for(ctx)
    reference = _parse(place)
    if options := given_options(ctx):
        raise click.UsageError(
            f"{place} has settings of its own, so that {', '.join(options)} would have no effect; "
            "set it in the program, or leave it out"
        )
    with log_as(ctx) as set_logging:
        found = _find(reference)
        application = found if isinstance(found, Application) else _make(found, place)
        set_logging(application.settings)
    return application


def _parse(place: str) -> Reference:
    try:
        return Reference.parse(place)
    except ValueError as error:
        raise click.UsageError(f"{error}; write APP as in `shop:app`") from None


def _find(reference: Reference) -> object:
    folder = str(Path.cwd())
    if folder not in sys.path:  # last, so that nothing in the folder hides what is installed
        sys.path.append(folder)
    with Contained() as attempt:
        found: Any = import_module(reference.module)
        for name in reference.attribute.split("."):
            if not hasattr(found, name):
                raise _missing(found, name, reference)
            found = getattr(found, name)
        return found
    raise _failure(f"{reference} cannot be imported", attempt.error)


def _missing(found: object, name: str, reference: Reference) -> ConfigurationFailure:
    close = nearest(name, [each for each in dir(found) if not each.startswith("_")])
    where = f" ({found.__file__})" if isinstance(found, ModuleType) else ""
    remedy = f"write {close!r}" if close else "name an Application, or a function that makes one"
    return ConfigurationFailure(f"{reference.module} has no {name!r}{where}.\nTo fix it: {remedy}")


def _make(found: object, place: str) -> Application:
    is_factory = callable(found) and not hasattr(found, "__aenter__")
    made: object = found
    if inspect.iscoroutinefunction(found):
        raise ConfigurationFailure(
            f"{place} is an asynchronous function ({locate_source(found)}).\n"
            "To fix it: write it as a plain `def`, which is called before there is an event loop"
        )
    if is_factory and callable(found):
        with Contained() as attempt:
            made = found()
        if attempt.error is not None:
            raise _failure(f"{place} cannot be called", attempt.error)
    if not isinstance(made, Application):
        verb = "returned a value" if is_factory else "is"
        raise ConfigurationFailure(
            f"{place} {verb} of the type {type(made).__qualname__}, not an Application.\n"
            "To fix it: name an Application, or a function that makes one"
        )
    return made


def _failure(problem: str, error: BaseException | None) -> Exception:
    """Return the error to raise for a program's; one of Arc's own says everything itself."""
    assert error is not None
    if isinstance(error, ConfigurationFailure):
        return error
    failure = ConfigurationFailure(f"{problem}: {describe_cause(error)}")
    failure.__cause__ = error
    return failure
