"""The requests of a server during a call: questions to the user, and answers of a model.

Both belong to the run of the call, so the task of the call deals with them, while the SDK waits: a
question ends the call until there is an answer, and an answer of a model is a run below that run.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import (
    INVALID_REQUEST,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    InputRequest,
    SamplingMessage,
    TextContent,
)

from arc_core import (
    AgentCommand,
    AgentExecutor,
    AgentMode,
    AssistantMessage,
    Attachment,
    ConfigurationError,
    Logger,
    Message,
    Text,
    ToolContext,
    ToolRetry,
    UserMessage,
)
from arc_core.text.masking import MASK, mask_secrets
from arc_plugins.tools.mcp.calls.open_calls import MAX_REQUESTS
from arc_plugins.tools.mcp.calls.results import Contents, get_texts, read_blocks
from arc_plugins.tools.mcp.settings import McpServerSettings

Question = ElicitRequestFormParams | ElicitRequestURLParams
_MAX_QUESTION_CHARS = 3_000
_MAX_SAMPLE_CHARS = 200_000
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_DECLINED = ElicitResult(action="decline")
_OPENED: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of an answer that says no more than that an address was opened."""


@dataclass(frozen=True, slots=True)
class ServerRequests:
    """Answers what one server asks, as far as its settings let it; logs what is refused."""

    server: str
    settings: McpServerSettings
    logger: Logger

    async def answer_if_allowed(
        self, request: InputRequest, context: ToolContext
    ) -> ElicitResult | CreateMessageResult | ErrorData:
        """Answer a request that the server has not sent as one, as a task does; see `answer`."""
        match request:
            case ElicitRequest() if self.settings.elicitation:
                return await self.answer(request.params, context)
            case CreateMessageRequest() if self.settings.sampling:
                return await self.answer(request.params, context)
        return ErrorData(code=INVALID_REQUEST, message=f"{request.method} is not allowed")

    async def answer(
        self,
        asked: Question | CreateMessageRequestParams,
        context: ToolContext,
        *,
        hold_s: float = 0.0,
    ) -> ElicitResult | CreateMessageResult | ErrorData:
        """Answer one request in the task of its call, which a question holds for `hold_s`.

        Raises:
            RunSuspended: The run waits for the user; the call begins anew when it goes on.
        """
        if isinstance(asked, CreateMessageRequestParams):
            return await self._sample(asked, context)
        return await self._elicit(asked, context, hold_s)

    async def ask_to_open(self, error: ErrorData, context: ToolContext) -> None:
        """Ask the user to open the addresses without which a server refuses a call.

        Raises:
            RunSuspended: The run waits for the user; the call begins anew when it goes on.
            ToolRetry: The user has not opened one, or must not be asked to.
        """
        try:
            wanted = UrlElicitationRequiredError.from_error(error).elicitations
        except ValueError:
            wanted = []
        for each in wanted[:MAX_REQUESTS]:
            if (await self._elicit(each, context, 0.0)).action != "accept":
                wanted = []
                break
        if not wanted:
            raise ToolRetry("The server wants an address to be opened, which the user has not done")

    async def _elicit(self, asked: Question, context: ToolContext, hold_s: float) -> ElicitResult:
        url = asked.url if isinstance(asked, ElicitRequestURLParams) else None
        form = _OPENED if isinstance(asked, ElicitRequestURLParams) else asked.requested_schema
        if (flaw := _find_flaw(form, url)) is not None:
            self.logger.warning(
                "mcp server asks the user what it must not, and is refused",
                server=self.server,
                cause=flaw,
            )
            return _DECLINED
        seed = json.dumps([asked.message, form, url], sort_keys=True).encode()
        # The same in every attempt at the call; of another question the answer is not taken.
        schema = {"type": "object", **form, "$comment": hashlib.sha256(seed).hexdigest()}
        text = f"The server {self.server} asks: {asked.message[:_MAX_QUESTION_CHARS]}"
        try:
            values = await context.ask(text, schema, url=url, hold_s=hold_s)
        except (ToolRetry, ValueError, ConfigurationError):
            return _DECLINED
        if url is not None:
            return ElicitResult(action="accept")
        fields = _get_fields(form).items()
        defaults = {name: field["default"] for name, field in fields if "default" in field}
        return ElicitResult(action="accept", content={**defaults, **values})

    async def _sample(
        self, asked: CreateMessageRequestParams, context: ToolContext
    ) -> CreateMessageResult | ErrorData:
        *history, last = asked.messages or [SamplingMessage(role="user", content=[])]
        prompt = _read(last)
        executor = await context.get(AgentExecutor)
        result = await executor.execute(
            AgentCommand(
                user_prompt=get_texts(prompt),
                attachments=_attachments(prompt),
                system_prompt=asked.system_prompt or "",
                mode=AgentMode.STANDARD,
                conversation_history=tuple(map(_message, history)),
                temperature=asked.temperature,
                max_output_tokens=max(1, asked.max_tokens),
                user_id=context.user_id,
                tenant_id=context.tenant_id,
            )
        )
        if not result.success:
            return ErrorData(code=INVALID_REQUEST, message="no model has answered")
        content = TextContent(text=result.content or "")
        return CreateMessageResult(role="assistant", content=content, model=result.model or "")


def _read(message: SamplingMessage) -> Contents:
    return read_blocks(message.content_as_list, max_chars=_MAX_SAMPLE_CHARS)


def _attachments(contents: Contents) -> tuple[Attachment, ...]:
    pieces = () if isinstance(contents, str) else contents
    return tuple(each for each in pieces if isinstance(each, Attachment))


def _message(message: SamplingMessage) -> Message:
    contents = _read(message)
    if message.role == "assistant":
        return AssistantMessage(get_texts(contents))
    if isinstance(contents, str):
        return UserMessage(contents)
    parts = (each if isinstance(each, Attachment) else Text(each) for each in contents)
    return UserMessage(tuple(parts))


def _find_flaw(form: Mapping[str, Any], url: str | None) -> str | None:
    """Return why a person must not be asked this; None if it may be."""
    if url is not None:
        return None if _is_safe(url) else "its address is neither of https nor of this machine"
    fields, required = _get_fields(form), form.get("required")
    if any(name not in fields for name in (required if isinstance(required, list) else ())):
        return "it demands a field that it does not have"
    flaws = (_find_field_flaw(name, field) for name, field in fields.items())
    return next(filter(None, flaws), None)


def _get_fields(form: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    found = form.get("properties")
    fields = found if isinstance(found, dict) else {}
    return {name: field if isinstance(field, dict) else {} for name, field in fields.items()}


def _find_field_flaw(name: str, field: Mapping[str, Any]) -> str | None:
    if field.get("format") == "password":
        return "it asks for a password"
    if _has_no_value(field):
        return "no answer can fit it"
    named = [each for each in (name, field.get("title")) if isinstance(each, str)]
    if any(mask_secrets({each: "value"})[each] == MASK for each in named):
        return "it asks for a password, or another secret"
    return None


_RANGES = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))


def _has_no_value(field: Mapping[str, Any]) -> bool:
    """Return true if no value fits a field of a form."""
    options = (field.get(key) for key in ("enum", "oneOf", "anyOf"))
    if any(each == [] for each in options):
        return True
    bounds = ((field.get(low), field.get(high)) for low, high in _RANGES)
    return any(
        isinstance(low, int | float) and isinstance(high, int | float) and low > high
        for low, high in bounds
    )


def _is_safe(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if "@" in parts.netloc or not parts.hostname:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)
