"""Messages of clients, read as commands or as decisions."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from a2a.types import Message, SendMessageRequest
from google.protobuf.json_format import MessageToDict

from arc_core import (
    AgentCommand,
    Answer,
    Approve,
    Attachment,
    Deny,
    QuestionRequest,
    Request,
    ServedApplication,
)
from arc_core.serving import Problem, read_answer, refuse_size

_MAX_ID_CHARS = 200
_HOW = (
    "To decide, send a text, `approve` or `deny`, or data: {approve, key, arguments, reason}, or "
    "{answer, key} for a question; the key is needed if several requests wait."
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


def decisions_in(
    message: Message, waiting: Sequence[Request]
) -> list[tuple[str, Approve | Answer | Deny]]:
    """Return the decisions of a message to a task that waits, by the keys of requests."""
    decisions = [
        _read_data(MessageToDict(part.data), waiting)
        if part.WhichOneof("content") == "data"
        else _read_text(part.text, waiting)
        for part in message.parts
    ]
    if not decisions:
        raise Problem(422, "invalid_request", _HOW)
    return decisions


def _read_text(said: str, waiting: Sequence[Request]) -> tuple[str, Approve | Answer | Deny]:
    if len(waiting) == 1:
        [request] = waiting
        if isinstance(request, QuestionRequest):
            return request.key, read_answer(said, request=request, param="message.parts[].text")
        match said.strip().lower():
            case "approve":
                return request.key, Approve()
            case "deny":
                return request.key, Deny()
    raise Problem(422, "invalid_request", _HOW)


def _read_data(said: Any, waiting: Sequence[Request]) -> tuple[str, Approve | Answer | Deny]:
    fields = said if isinstance(said, dict) else {}
    key, approve, answer = (fields.get(name) for name in ("key", "approve", "answer"))
    if key is None and len(waiting) == 1:
        key = waiting[0].key
    arguments, reason = fields.get("arguments"), fields.get("reason", "")
    if not isinstance(key, str) or not isinstance(reason, str):
        raise Problem(422, "invalid_request", _HOW)
    if isinstance(answer, dict) and approve is None:
        return key, Answer(_restore_integers(answer))
    if not isinstance(approve, bool) or not isinstance(arguments, dict | None):
        raise Problem(422, "invalid_request", _HOW)
    return key, Approve(_restore_integers(arguments)) if approve else Deny(reason)


def _restore_integers(said: Any) -> Any:
    """Return values of a message, in which every number is one with a decimal point."""
    if isinstance(said, dict):
        return {name: _restore_integers(each) for name, each in said.items()}
    if isinstance(said, list):
        return [_restore_integers(each) for each in said]
    return int(said) if isinstance(said, float) and said.is_integer() else said


def _text_at(name: str, value: object) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= _MAX_ID_CHARS):
        return value
    message = f"{name} is not a text of 1 to {_MAX_ID_CHARS} characters."
    raise Problem(422, "invalid_request", message, param=name)
