"""One structured record per run and per tool call, for those who must be able to say what happened.

Opt-in; costs a record and two hashes a run. The records go to the logger `arc.hooks.audit_log` at
level INFO, where the application's logging sends them on, or with `audit.chain` to `audit.file`,
as lines that prove that none was changed.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from arc_core import (
    AgentResult,
    Answer,
    Approve,
    Decision,
    Hook,
    HookContext,
    Logger,
    TokenUsage,
    ToolCallContext,
    ToolCallResult,
)
from arc_core.errors import ConfigurationError
from arc_core.forms import to_json
from arc_plugins.hooks.audit_log import AuditSettings
from arc_plugins.hooks.audit_log.chain.file import HAS_LOCKS, ChainedFile
from arc_plugins.hooks.audit_log.chain.lines import Seal
from arc_plugins.hooks.audit_log.chain.texts import TextStore, get_texts_path

_MASK = "***"


class TextForms:
    """The form of texts in records: themselves, or digests with a name, as in `prompt_sha256`."""

    def __init__(
        self, name: str, digest: Callable[[str], str], *, includes_text: bool = False
    ) -> None:
        self._name, self._digest, self._includes_text = name, digest, includes_text

    def make_fields(self, field: str, text: str | None) -> dict[str, Any]:
        """A text under its name, or its digest and its length."""
        if self._includes_text:
            return {field: text}
        if text is None:
            return {f"{field}_{self._name}": None, f"{field}_chars": 0}
        return {f"{field}_{self._name}": self._digest(text), f"{field}_chars": len(text)}

    def replace_texts(self, value: Any) -> Any:
        """Arguments with a digest for every text in them, at any depth."""
        if self._includes_text or value == _MASK:
            return value
        match value:
            case str():
                return f"{self._name}:{self._digest(value)}"
            case Mapping():
                return {name: self.replace_texts(item) for name, item in value.items()}
            case list() | tuple():
                return [self.replace_texts(item) for item in value]
        return value


MakeFields = Callable[[TextForms], dict[str, Any]]
"""Makes the fields of a record, with its texts in their form."""


WriteRecord = Callable[[str, HookContext, MakeFields], Awaitable[None]]
"""Writes the record of what has happened in a run."""


def _write_to_logger(logger: Logger, *, includes_text: bool) -> WriteRecord:
    forms = TextForms("sha256", _sha256, includes_text=includes_text)

    async def write(event: str, context: HookContext, make: MakeFields) -> None:
        identity = {"user_id": context.user_id, "session_id": context.session_id}
        message = f"audit: {event}"
        logger.info(message, **_get_run(context), **identity, **make(forms))

    return write


def _write_to_file(file: ChainedFile, texts: TextStore, *, keeps_texts: bool) -> WriteRecord:
    """Write records to a chained file, and if they are kept their texts to a store beside it."""

    def append(event: str, context: HookContext, make: MakeFields) -> None:
        person = texts.find(context.tenant_id, context.user_id)
        forms = TextForms("hmac", person.digest)
        session = forms.make_fields("session_id", context.session_id)
        fields = {**_get_run(context), "person": person.name, **session, **make(forms)}
        if keeps_texts:
            texts.keep(person)
        file.append({"event": event, **fields})

    async def write(event: str, context: HookContext, make: MakeFields) -> None:
        await asyncio.to_thread(append, event, context, make)

    return write


def _get_run(context: HookContext) -> dict[str, str | None]:
    return {"run_id": context.run_id, "tenant_id": context.tenant_id}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_FACTS = (
    *("success", "error_code", "tools_used", "finish_reason", "cache_hit"),
    *("agent", "model", "provider"),
)
_COUNTS = tuple(each.name for each in fields(TokenUsage))


class AuditLogHook(Hook):
    """Records who asked, what came of it and what it cost; texts are hashed unless wanted.

    A hash (SHA-256) shows that two texts are the same, or that a copy of a text is the one that was
    sent. Short texts can be guessed from it; in a chained file a key prevents that. The values of
    secret-looking arguments are masked in either case.
    """

    order = 90

    def __init__(self, *, settings: AuditSettings, logger: Logger) -> None:
        self._write = _make_writer(settings, logger)

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """Record a tool call, also one that was rejected or failed."""
        make = partial(_describe_call, context, result)
        await self._write("tool call", context.agent_context, make)

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Record a run, also one that was rejected, failed or was cancelled."""
        await self._write("run", context, partial(_describe_run, context, response))


def _make_writer(settings: AuditSettings, logger: Logger) -> WriteRecord:
    if not settings.chain:
        return _write_to_logger(logger, includes_text=settings.include_text)
    if not HAS_LOCKS:
        raise ConfigurationError(
            "audit.chain needs locks of files, which this system does not have",
            remedy="set audit.chain = false",
        )
    assert settings.file is not None
    secret = settings.key
    file = ChainedFile(
        settings.file,
        seal=Seal(None if secret is None else secret.get_secret_value().encode()),
        max_bytes=settings.max_file_bytes,
        rotates_daily=settings.rotate_daily,
    )
    texts = TextStore(get_texts_path(settings.file))
    return _write_to_file(file, texts, keeps_texts=settings.include_text)


def _describe_call(
    context: ToolCallContext, result: ToolCallResult, texts: TextForms
) -> dict[str, Any]:
    return {
        "tool": context.tool_name,
        "call_index": context.call_index,
        "outcome": result.outcome.value,
        "duration_ms": round(result.duration_ms, 3),
        "arguments": texts.replace_texts(context.masked_arguments()),
        "decision": _describe_decision(context.decision, texts),
        **texts.make_fields("result", result.content),
    }


def _describe_run(context: HookContext, response: AgentResult, texts: TextForms) -> dict[str, Any]:
    answer = response.content if response.success else response.partial_content
    return {
        "started_at": context.started_at.isoformat(),
        "duration_ms": round(response.duration_ms, 3),
        **_facts(response),
        **texts.make_fields("prompt", context.user_prompt),
        **texts.make_fields("answer", answer),
    }


def _describe_decision(decision: Decision | None, texts: TextForms) -> dict[str, Any] | None:
    """Return the decision about a call and its author; None if it did not wait."""
    if decision is None:
        return None
    answer = decision.answer
    record: dict[str, Any] = {"by": decision.by, "at": decision.at.isoformat()}
    if decision.approvals:
        record["approved_before_by"] = [each.by for each in decision.approvals]
    if isinstance(answer, Approve):
        changed = answer.arguments is not None
        return {**record, "approved": True, "arguments_changed": changed}
    if isinstance(answer, Answer):
        return {**record, "answered": True}
    reason = texts.make_fields("reason", answer.reason)
    return {**record, "approved": False, "arguments_changed": False, **reason}


def _facts(response: AgentResult) -> dict[str, Any]:
    """Return the facts in the form of a result, without its texts."""
    form = json.loads(to_json(replace(response, messages=(), metadata={}, output=None)))
    usage = form["token_usage"] or {}
    facts = {name: form[name] for name in _FACTS}
    return facts | {name: usage.get(name) for name in _COUNTS}
