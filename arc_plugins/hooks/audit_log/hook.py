"""One structured record per run and per tool call, for those who must be able to say what happened.

Opt-in; costs a log record and two hashes a run. The records go to the logger `arc.hooks.audit_log`
at level INFO, where the application's logging sends them on. Settings: `audit.enabled`,
`audit.include_text`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from arc_core import (
    AgentResult,
    Approve,
    Decision,
    Hook,
    HookContext,
    Logger,
    TokenUsage,
    ToolCallContext,
    ToolCallResult,
)
from arc_core.forms import to_json
from arc_plugins.hooks.audit_log import AuditSettings

_MASK = "***"
_FACTS = (
    *("success", "error_code", "tools_used", "finish_reason", "cache_hit"),
    *("agent", "model", "provider"),
)
_COUNTS = tuple(each.name for each in fields(TokenUsage))


class AuditLogHook(Hook):
    """Records who asked, what came of it and what it cost; texts are hashed unless wanted.

    A hash (SHA-256) shows that two texts are the same, or that a copy of a text is the one that was
    sent. Short texts can be guessed from it. The values of secret-looking arguments are masked in
    either case.
    """

    order = 90

    def __init__(self, *, settings: AuditSettings, logger: Logger) -> None:
        self._includes_text = settings.include_text
        self._logger = logger

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """Record a tool call, also one that was rejected or failed."""
        self._logger.info(
            "audit: tool call",
            **_identity(context.agent_context),
            tool=context.tool_name,
            call_index=context.call_index,
            outcome=result.outcome.value,
            duration_ms=round(result.duration_ms, 3),
            arguments=self._arguments(context.masked_arguments()),
            decision=self._decision(context.decision),
            **self._text("result", result.content),
        )

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Record a run, also one that was rejected, failed or was cancelled."""
        answer = response.content if response.success else response.partial_content
        self._logger.info(
            "audit: run",
            **_identity(context),
            started_at=context.started_at.isoformat(),
            duration_ms=round(response.duration_ms, 3),
            **_facts(response),
            **self._text("prompt", context.user_prompt),
            **self._text("answer", answer),
        )

    def _decision(self, decision: Decision | None) -> dict[str, Any] | None:
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
        reason = self._text("reason", answer.reason)
        return {**record, "approved": False, "arguments_changed": False, **reason}

    def _text(self, field: str, text: str | None) -> dict[str, Any]:
        """A text under its name, or its hash and its length."""
        if self._includes_text:
            return {field: text}
        if text is None:
            return {f"{field}_sha256": None, f"{field}_chars": 0}
        return {f"{field}_sha256": _sha256(text), f"{field}_chars": len(text)}

    def _arguments(self, value: Any) -> Any:
        """Arguments with every text in them hashed, at any depth."""
        if self._includes_text or value == _MASK:
            return value
        match value:
            case str():
                return f"sha256:{_sha256(value)}"
            case Mapping():
                return {name: self._arguments(item) for name, item in value.items()}
            case list() | tuple():
                return [self._arguments(item) for item in value]
        return value


def _facts(response: AgentResult) -> dict[str, Any]:
    """Return the facts in the form of a result, without its texts."""
    form = json.loads(to_json(replace(response, messages=(), metadata={}, output=None)))
    usage = form["token_usage"] or {}
    facts = {name: form[name] for name in _FACTS}
    return facts | {name: usage.get(name) for name in _COUNTS}


def _identity(context: HookContext) -> dict[str, str | None]:
    return {
        "run_id": context.run_id,
        "user_id": context.user_id,
        "session_id": context.session_id,
        "tenant_id": context.tenant_id,
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
