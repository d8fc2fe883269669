"""The bodies of requests."""

import json
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, Field, StrictInt

from arc_core import AgentCommand, ServedApplication
from arc_core.forms import from_json
from arc_core.serving import JsonBody, StrictFields, check_body, read_as

_RUN_ID = r"^[A-Za-z0-9_.:@~+=-]+$"
"""The characters that stand in a path and in a header as they are."""


class Respond(StrEnum):
    """The form of the answer."""

    WAIT = "wait"
    STREAM = "stream"
    SUBMIT = "submit"


class ChatBody(StrictFields):
    """One prompt."""

    message: str
    user_id: str | None = None
    session_id: str | StrictInt | None = None
    agent: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    def as_run(self, respond: Respond) -> "RunBody":
        """The same in the long form."""
        said = self.model_dump(exclude={"message"}, exclude_none=True)
        return RunBody(respond=respond, command={"user_prompt": self.message, **said})


class RunBody(StrictFields):
    """A command in its form, and how it is to run; the same id twice is one run."""

    command: dict[str, Any]
    respond: Respond = Respond.WAIT
    run_id: str | None = Field(default=None, max_length=200, pattern=_RUN_ID)
    queue: str | None = None
    not_before: AwareDatetime | None = None

    @classmethod
    def of(cls, body: JsonBody) -> "RunBody":
        """A body that has the fields of the command beside those that say how it runs."""
        own = cls.model_fields.keys() - {"command"}
        said = {name: value for name, value in body.value.items() if name in own}
        command = {name: value for name, value in body.value.items() if name not in own}
        return read_as(JsonBody({"command": command, **said}, body.size), cls)


class DecisionBody(StrictFields):
    """The decision of a person about a call that waits."""

    key: str
    approve: bool
    arguments: dict[str, Any] | None = None
    reason: str = ""


def command_in(asked: RunBody, body: JsonBody, application: ServedApplication) -> AgentCommand:
    """The command of a body."""
    form = {"v": 1, "type": "agent_command", **asked.command}
    command = from_json(json.dumps(form), AgentCommand)
    check_body(body, command.attachments, application)
    return command
