"""Messages of clients, read as commands or as decisions."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from a2a.types import Message, SendMessageRequest
from google.protobuf.json_format import MessageToDict

from arc_core import (
    AgentCommand,
    Approve,
    Attachment,
    Deny,
    Request,
    ServedApplication,
)
from arc_core.serving import Problem, refuse_size

_MAX_ID_CHARS = 200
_HOW = (
    "To decide, send a text, `approve` or `deny`, or data: {approve, key, arguments, reason}; the "
    "key is needed if several calls wait."
)


def command_in(
    request: SendMessageRequest,
    headers: Mapping[str, str],
    *,
    session_id: str,
    application: ServedApplication,
) -> AgentCommand:
    """Return the command of a message: texts and data are the prompt, files are attached.

    Its metadata goes before that of the request, then headers.
    """
    metadata = {**MessageToDict(request.metadata), **MessageToDict(request.message.metadata)}
    agent = _text_at("arc/agent", metadata.get("arc/agent"))
    user_id = _text_at("arc/user_id", metadata.get("arc/user_id", headers.get("x-user-id")))
    texts: list[str] = []
    files: list[Attachment] = []
    for part in request.message.parts:
        name, media_type = part.filename or None, part.media_type or None
        match part.WhichOneof("content"):
            case "text":
                texts.append(part.text)
            case "data":
                texts.append(json.dumps(MessageToDict(part.data), ensure_ascii=False))
            case "raw":
                files.append(Attachment.from_bytes(part.raw, media_type=media_type, name=name))
            case "url":
                files.append(Attachment.from_url(part.url, media_type=media_type, name=name))
    prompt = "\n".join(texts)
    if len(prompt.encode(errors="replace")) > application.max_body_bytes:
        refuse_size(application.max_body_bytes)
    if sum(len(file.data or b"") for file in files) > application.max_attachment_bytes:
        refuse_size(application.max_attachment_bytes, what="attachments")
    return AgentCommand(
        user_prompt=prompt,
        attachments=tuple(files),
        agent=agent,
        user_id=user_id,
        tenant_id=request.tenant or None,
        session_id=session_id,
    )


def decisions_in(message: Message, waiting: Sequence[Request]) -> list[tuple[str, Approve | Deny]]:
    """Return the decisions of a message to a task that waits, by the keys of calls."""
    found: list[tuple[str, Approve | Deny]] = []
    for part in message.parts:
        said = MessageToDict(part.data) if part.WhichOneof("content") == "data" else part.text
        if isinstance(said, str):
            said = {"approve": {"approve": True, "deny": False}.get(said.strip().lower())}
        found.append(_decision(said, waiting))
    if not found:
        raise Problem(422, "invalid_request", _HOW)
    return found


def _decision(said: Any, waiting: Sequence[Request]) -> tuple[str, Approve | Deny]:
    key = said.get("key") if isinstance(said, dict) else None
    if key is None and len(waiting) == 1:
        key = waiting[0].key
    approve = said.get("approve") if isinstance(said, dict) else None
    if not isinstance(key, str) or not isinstance(approve, bool):
        raise Problem(422, "invalid_request", _HOW)
    arguments, reason = said.get("arguments"), said.get("reason", "")
    if not isinstance(arguments, dict | None) or not isinstance(reason, str):
        raise Problem(422, "invalid_request", _HOW)
    return key, Approve(arguments) if approve else Deny(reason)


def _text_at(name: str, value: object) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= _MAX_ID_CHARS):
        return value
    message = f"{name} is not a text of 1 to {_MAX_ID_CHARS} characters."
    raise Problem(422, "invalid_request", message, param=name)
