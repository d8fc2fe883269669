"""Makes the application that the options of a command describe."""

import inspect
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import TRACEBACK, ConfigurationFailure, RunFailure
from arc_autoconfig.cli.folder_trust import trusted_settings
from arc_autoconfig.cli.options import chosen_settings, config_file, disabled_plugins, given_options
from arc_autoconfig.container.lifecycle import Built, start
from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.errors import UnknownNameError, describe_cause, locate_source, nearest
from arc_autoconfig.settings import ArcSettings, LoggingSettings
from arc_autoconfig.visible_text import visible, visible_block
from arc_core import ResponseFilterChain
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.errors import ConfigurationError
from arc_core.interfaces.models.chat_model import ChatModel
from arc_core.interfaces.optional import AnnouncesItself
from arc_core.log import RECORD_ATTRIBUTES
from arc_core.text.addresses import mask_addresses

_NOT_DETAILS = RECORD_ATTRIBUTES | {"run_id", "user_id", "session_id", "tenant_id", "taskName"}


@contextmanager
def brief_logging(*, with_tracebacks: bool) -> Iterator[None]:
    """Write Arc's warnings and errors to standard error while the context lasts."""
    arc = logging.getLogger("arc")
    detailed = [logging.getLogger("arc.plugins"), logging.getLogger("arc.runs")]
    handler, level = logging.StreamHandler(sys.stderr), arc.level
    handler.setFormatter(LineFormatter(with_tracebacks=with_tracebacks))
    arc.addHandler(handler)
    arc.setLevel(logging.WARNING)
    for each in detailed:
        each.setLevel(logging.DEBUG if with_tracebacks else logging.NOTSET)
    try:
        yield
    finally:
        arc.removeHandler(handler)
        arc.setLevel(level)
        for each in detailed:
            each.setLevel(logging.NOTSET)


class LineFormatter(logging.Formatter):
    """`error: guard failed (guard=Pii): ValueError: no key`, with the traceback only if wanted."""

    def __init__(self, *, with_tracebacks: bool) -> None:
        super().__init__()
        self._with_tracebacks = with_tracebacks

    def format(self, record: logging.LogRecord) -> str:
        """One line, unless a traceback follows."""
        line = f"{record.levelname.lower()}: {record.getMessage()}{_details(record)}"
        error = record.exc_info[1] if record.exc_info else None
        if error is None or record.exc_info is None:
            return _to_one_line(line)
        if self._with_tracebacks:
            trace = visible_block(mask_addresses(self.formatException(record.exc_info)))
            return f"{_to_one_line(line)}\n{trace}"
        return _to_one_line(f"{line}: {type(error).__name__}: {error}")


def _details(record: logging.LogRecord) -> str:
    """The fields of a record besides its message, but for the run and for what is said already."""
    message = record.getMessage()
    fields = {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in vars(record).items()
        if name not in _NOT_DETAILS and value is not None
    }
    told = [f"{name}={value}" for name, value in fields.items() if value not in message]
    return f" ({', '.join(told)})" if told else ""


def _to_one_line(line: str) -> str:
    return visible(" ".join(mask_addresses(line).split()), one_line=True)


T = TypeVar("T")


def application_for(
    ctx: click.Context, *, needed: frozenset[str] | None = None, record: bool = False
) -> Application:
    """An application that is not started yet."""
    chosen, config = chosen_settings(ctx), config_file(ctx)
    settings = trusted_settings(chosen, config, needed=needed)
    if names := disabled_plugins(ctx):
        chosen["plugins.disabled"] = [*settings.plugins.disabled, *names]
        settings = trusted_settings(chosen, config, needed=needed)
    with log_as(ctx) as set_logging:
        set_logging(settings)
        return Application(settings, record=record)


@contextmanager
def log_as(ctx: click.Context) -> Iterator[Callable[[ArcSettings], None]]:
    """Log in single lines until the command ends, or, once settings say how, as they say."""
    with ExitStack() as brief:
        brief.enter_context(brief_logging(with_tracebacks=TRACEBACK in ctx.meta))

        def set_logging(settings: ArcSettings) -> None:
            keys = (f"logging.{name}" for name in LoggingSettings.model_fields)
            if any(settings.origin_of(key) != "default" for key in keys):
                brief.close()

        yield set_logging
        ctx.call_on_close(brief.pop_all().close)


def try_application(
    ctx: click.Context, step: Callable[[Application], object]
) -> tuple[Application, ConfigurationError | None]:
    """The application after a step towards its start, and why that cannot be taken, if so."""
    app = application_for(ctx)
    try:
        step(app)
    except ConfigurationError as error:
        return app, error
    return app, None


async def use_started(
    component: object, work: Callable[[], Awaitable[T]], *, called: str, failure: str
) -> T:
    """Start one component, have it do something, and close it."""
    async with AsyncExitStack() as stack:
        await start(Built(component, called), stack)
        with Contained(passing=(ConfigurationFailure,)) as attempt:
            return await work()
    assert attempt.error is not None
    raise RunFailure(
        f"{type(component).__qualname__} {failure}: {describe_cause(attempt.error)}\n"
        "`arc doctor` says what it needs."
    ) from attempt.error


def announce_model(app: Application) -> None:
    """Say on standard error what people should know about the model, if there is something."""
    announce(_find_component(app, ChatModel))


def announce(component: object) -> None:
    """Say on standard error what people should know about a component, if there is something."""
    text = component.announcement() if isinstance(component, AnnouncesItself) else None
    if text is not None:
        click.secho(visible(text), err=True, dim=True)


def warn_of_filters(app: Application) -> None:
    """Say on standard error that response filters do not apply to what is about to be streamed."""
    chain = _find_component(app, ResponseFilterChain)
    if chain is None or not chain.filters or not app.settings.response.filters_enabled:
        return
    names = ", ".join(sorted({type(each).__name__ for each in chain.filters}))
    text = (
        f"Response filters ({names}) do not change streamed answers, as they are shown here; "
        "`arc run --json` and `execute` apply them."
    )
    click.secho(visible(text), err=True, dim=True)


def _find_component(app: Application, wanted: type[T]) -> T | None:
    try:
        found: T = app.component(wanted)
    except ConfigurationError:  # the start tells it
        return None
    return found


def check_agent(app: Application, name: str | None) -> None:
    """Check that there is an agent of a name; what else is wrong the start tells."""
    known = {DEFAULT_AGENT, *(each.name for each in app.report.decision(Agent).winners)}
    if name is not None and name not in known:
        raise UnknownNameError(setting="--agent", name=name, known=list(known))


def application_at(ctx: click.Context, place: str | None) -> Application:
    """The application that a program makes, not started; without a place that of the settings."""
    if place is None:
        return application_for(ctx)
    try:
        reference = Reference.parse(place)
    except ValueError as error:
        raise click.UsageError(f"{error}; write APP as in `shop:app`") from None
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
