"""The methods of the protocol, on runs, and the card by which clients find out what there is.

No state but that of the runs is kept.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from importlib.metadata import version
from typing import Any, NoReturn
from uuid import uuid4

from a2a import types
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.utils import errors
from a2a.utils.proto_utils import validate_proto_required_fields
from starlette.requests import Request

from arc_core import (
    AgentCommand,
    ArcError,
    Caller,
    Logger,
    RunHandle,
    Runs,
    RunState,
    RunSummary,
    ServedAgent,
    ServedApplication,
)
from arc_core.serving import Problem, caller_of, get_problem, until_disconnected
from arc_core.serving.responses import ClientGoneError
from arc_plugins.surfaces.a2a.messages import command_in, decisions_in
from arc_plugins.surfaces.a2a.tasks import TaskForm, Update, read_updates

REQUEST = "arc.request"
HELD = "arc.held"
_OURS = 500
_PATH = "a2a"
_DESCRIPTION = "Agents, each of which is a skill."
_ENDED = "The task has ended; send a message without its id, in the same context."
_MAX_PARTS = 1_000
_NO_LIST = "Tasks are not listed here; ask for one by its id."


class RunsHandler(RequestHandler):
    """Tasks are runs."""

    def __init__(self, application: ServedApplication, *, logger: Logger) -> None:
        self._application, self._logger = application, logger

    async def on_message_send(
        self, params: types.SendMessageRequest, context: ServerCallContext
    ) -> types.Task:
        """Begin a run, or decide for one that waits, and wait for its end."""
        with _reporting_errors(self._logger):
            if params.configuration.return_immediately and not params.message.task_id:
                runs = self._runs_for(context)
                run_id = await runs.submit(self._command(params, context))
                return self._task(await runs.find(run_id))
            async with self._open(params, context) as (run, form, _):
                result = await until_disconnected(context.state[REQUEST], run.result())
                if result.waiting:
                    return form.task(form.make_status(result))
                return form.make_ended_task(result)

    async def on_message_send_stream(
        self, params: types.SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Update]:
        """As `on_message_send`; tells what becomes of the task."""
        with _reporting_errors(self._logger):
            async with (
                self._open(params, context) as (run, form, seen),
                aclosing(
                    read_updates(run, form, runs=self._runs_for(context), known_to=seen)
                ) as updates,
            ):
                context.state[HELD] = run
                async for update in updates:
                    yield update

    async def on_subscribe_to_task(
        self, params: types.SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Update]:
        """Read on: the task with its text so far, then what becomes of it."""
        with _reporting_errors(self._logger):
            runs = self._runs_for(context)
            found = await runs.find(params.id)
            if found.state is RunState.FINISHED:
                raise errors.UnsupportedOperationError("The task has ended; ask for it by GetTask.")
            run, form = await runs.get(params.id).open(), TaskForm.of(found)
            context.state[HELD] = run
            updates = read_updates(run, form, runs=runs, known_to=found.last_seq or 0)
            async with aclosing(run), aclosing(updates):
                async for update in updates:
                    yield update

    async def on_get_task(
        self, params: types.GetTaskRequest, context: ServerCallContext
    ) -> types.Task:
        """A task as it is now."""
        with _reporting_errors(self._logger):
            runs = self._runs_for(context)
            return self._task(await runs.find(params.id))

    async def on_cancel_task(
        self, params: types.CancelTaskRequest, context: ServerCallContext
    ) -> types.Task:
        """End a run, wherever it is."""
        with _reporting_errors(self._logger):
            runs = self._runs_for(context)
            found = await runs.find(params.id)
            if found.state is RunState.FINISHED:
                raise errors.TaskNotCancelableError
            async with runs.get(params.id) as run:
                await run.cancel()
            return self._task(await runs.find(params.id))

    async def on_get_extended_agent_card(
        self, params: types.GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> types.AgentCard:
        """The card, with the agents that the key is for."""
        with _reporting_errors(self._logger):
            asked = str(context.state[REQUEST].base_url)
            return make_card(
                self._application.agents(_caller_in(context)),
                base_url=self._application.public_url or asked,
                has_keys=self._application.has_keys,
            )

    async def on_list_tasks(
        self, params: types.ListTasksRequest, context: ServerCallContext
    ) -> types.ListTasksResponse:
        """Not offered."""
        raise errors.UnsupportedOperationError(_NO_LIST)

    async def _refuse(self, params: Any, context: Any) -> NoReturn:
        raise errors.PushNotificationNotSupportedError

    on_create_task_push_notification_config = _refuse
    on_get_task_push_notification_config = _refuse
    on_list_task_push_notification_configs = _refuse
    on_delete_task_push_notification_config = _refuse

    def _runs_for(self, context: ServerCallContext) -> Runs:
        return self._application.runs.for_caller(_caller_in(context))

    def _task(self, found: RunSummary) -> types.Task:
        return TaskForm.of(found).make_task(found)

    def _command(
        self, params: types.SendMessageRequest, context: ServerCallContext
    ) -> AgentCommand:
        _check(params)
        request: Request = context.state[REQUEST]
        session_id = params.message.context_id or str(uuid4())
        return command_in(
            params, request.headers, session_id=session_id, application=self._application
        )

    @asynccontextmanager
    async def _open(
        self, params: types.SendMessageRequest, context: ServerCallContext
    ) -> AsyncIterator[tuple[RunHandle, TaskForm, int]]:
        """The run that a message is about, and the last event of it that the client knows."""
        runs, run_id, seen = self._runs_for(context), params.message.task_id, 0
        if run_id:
            form, seen = await self._decide(params, runs)
            run = await runs.get(run_id).open()
        else:
            command = self._command(params, context)
            run = await runs.begin(command).open()
            form = TaskForm(run.id, command.session_id)
        async with aclosing(run):
            yield run, form, seen

    async def _decide(self, params: types.SendMessageRequest, runs: Runs) -> tuple[TaskForm, int]:
        _check(params)
        run_id = params.message.task_id
        found = await runs.find(run_id)
        if found.state is RunState.FINISHED:
            raise errors.UnsupportedOperationError(_ENDED)
        for key, answer in decisions_in(params.message, found.requests):
            await runs.decide(run_id, key, answer)
        return TaskForm.of(found), found.last_seq or 0


def _check(params: types.SendMessageRequest) -> None:
    """Refuse a message that lacks something, or has too many parts to look at each."""
    if len(params.message.parts) > _MAX_PARTS:
        raise Problem(413, "too_large", f"A message may have {_MAX_PARTS} parts at most.")
    validate_proto_required_fields(params)


def _caller_in(context: ServerCallContext) -> Caller:
    return caller_of(context.state[REQUEST])


@contextmanager
def _reporting_errors(logger: Logger) -> Iterator[None]:
    """Report what is raised inside as an error of the protocol."""
    try:
        yield
    except errors.A2AError:
        raise
    except (Problem, ArcError, OSError) as error:
        problem = get_problem(error)
        kind: type[errors.A2AError] = errors.InvalidParamsError
        if problem.code == "not_found":
            kind = errors.TaskNotFoundError
        elif problem.status >= _OURS:
            kind = errors.InternalError
        raise kind(problem.message) from None
    except ClientGoneError:  # the client that would read it has left
        raise errors.InternalError from None
    except Exception as error:
        logger.exception("a request by A2A failed")
        raise errors.InternalError(get_problem(error).message) from None


def make_card(agents: Sequence[ServedAgent], *, base_url: str, has_keys: bool) -> types.AgentCard:
    """The card of an application; each agent is a skill, which `arc/agent` in metadata chooses."""
    card = types.AgentCard(
        name="arc",
        description=(agents[0].description if agents else "") or _DESCRIPTION,
        version=version("arc-agents"),
        supported_interfaces=[
            types.AgentInterface(
                url=f"{base_url}{_PATH}", protocol_binding="JSONRPC", protocol_version="1.0"
            )
        ],
        capabilities=types.AgentCapabilities(streaming=True, extended_agent_card=has_keys),
        default_input_modes=["text/plain", "application/json", "image/*", "application/pdf"],
        default_output_modes=["text/plain"],
        skills=[
            types.AgentSkill(
                id=agent.name,
                name=agent.name,
                description=agent.description or f"Asks the agent {agent.name}.",
                tags=["agent"],
                examples=agent.examples,
            )
            for agent in agents
        ],
    )
    if has_keys:
        bearer = types.HTTPAuthSecurityScheme(scheme="bearer", description="A key of the server.")
        scheme = types.SecurityScheme(http_auth_security_scheme=bearer)
        card.security_schemes["key"].CopyFrom(scheme)
        card.security_requirements.append(
            types.SecurityRequirement(schemes={"key": types.StringList()})
        )
    return card
