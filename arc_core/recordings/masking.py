"""The masking of recordings, so that no secrets and no personal data leave for a file."""

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from arc_core.command import AgentCommand
from arc_core.forms import from_json, to_json
from arc_core.forms.json_text import dump
from arc_core.interfaces.guards.guard import Allowed
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest
from arc_core.interfaces.guards.text_mask import TextMask
from arc_core.interfaces.optional import DeclaresPurity
from arc_core.runs.journal import Recording

_WITHHELD = "[withheld]"
_MAX_CHARS = 16 * 1024 * 1024
"""Of the texts that are remembered: the same ones come again in steps, parts and messages."""

_LONG = 16_384
"""The characters of a text before which others have their turn, as masks take their time."""

_PLAIN = frozenset((
    "type", "v", "cost", "started_at", "ended_at", "since", "until", "digest", "kind", "beginning",
    "options", "wiring", "outcome", "finish_reason", "verdict", "error_code", "media_type", "life",
    "mode", "response_format", "package", "version", "place", "settings", "code", "value_type",
))  # fmt: skip
"""The keys of what Arc has written itself, which no mask must change."""

_FREE = frozenset((
    "metadata", "changes", "changed", "arguments", "response_schema", "parameters", "output",
    "schema", "values",
))  # fmt: skip
"""The keys of what programs and models have written, in which any key may stand."""


class RecordingMasks:
    """Masks all texts of recordings.

    Args:
        masks: Asked in their order about each text.
        guards: The output guards that are wired; of these, the pure ones are asked after the masks,
            and a text that one of them rejects is withheld.
    """

    def __init__(self, masks: Sequence[TextMask], guards: Sequence[OutputGuard] = ()) -> None:
        self._masks = tuple(masks)
        self._guards = tuple(
            each for each in guards if isinstance(each, DeclaresPurity) and each.pure
        )
        self._known: dict[str, str] = {}
        self._known_chars = 0

    async def mask(self, recording: Recording) -> Recording:
        """Return a recording without secrets and personal data; its digests stay.

        Attachments of text are masked, and the bytes of all others are zeros.

        Raises:
            ConfigurationError: A mask cannot tell here.
        """
        command = await self.mask_json(to_json(recording.command))
        return replace(
            recording,
            run_id=await self.mask_text(recording.run_id),
            command=from_json(command, AgentCommand),
            steps=await self._mask_each(recording.steps),
            parts=await self._mask_each(recording.parts),
        )

    async def mask_text(self, text: str) -> str:
        """Return a text as it may leave; within JSON, each of its values, too."""
        if len(text) <= 1 or text.isspace() or _is_id(text):
            return text
        if text not in self._known:
            self._known_chars += len(text)
            if self._known_chars > _MAX_CHARS:
                self._known, self._known_chars = {}, len(text)
            if len(text) > _LONG:
                await asyncio.sleep(0)
            masked = await self._ask(await self._mask_inside(text))
            self._known[text] = masked
            return masked
        return self._known[text]

    async def _mask_each(self, texts: Mapping[str, str]) -> dict[str, str]:
        return {key: await self.mask_json(text) for key, text in texts.items()}

    async def mask_json(self, text: str) -> str:
        """Return a text of JSON, as steps and parts are, as it may leave."""
        return dump(await self._mask_value(json.loads(text)))

    async def _mask_inside(self, text: str) -> str:
        """Mask the values of a text that is JSON itself, as the arguments of a call are."""
        if text[0] not in '{["':
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        masked = await self._mask_value(value, is_free=True)
        return text if masked == value else json.dumps(masked, ensure_ascii=False)

    async def _mask_value(self, value: Any, *, is_free: bool = False) -> Any:
        match value:
            case str():
                return await self.mask_text(value)
            case list():
                return [await self._mask_value(each, is_free=is_free) for each in value]
            case {"type": "attachment", "data": str(data)} if not is_free:
                media_type = str(value.get("media_type", ""))
                rest = {key: each for key, each in value.items() if key != "data"}
                masked = await self._mask_value(rest)
                return {**masked, "data": await self._mask_data(data, media_type)}
            case dict():
                return {
                    await self.mask_text(key) if is_free else key: (
                        each
                        if key in _PLAIN and not is_free
                        else await self._mask_value(each, is_free=is_free or key in _FREE)
                    )
                    for key, each in (value if is_free else _hide_link(value)).items()
                }
            case _:
                return value

    async def _mask_data(self, data: str, media_type: str) -> str:
        content = b64decode(data)
        if media_type.startswith("text/"):
            masked = await self.mask_text(content.decode("utf-8", "replace"))
            return b64encode(masked.encode()).decode()
        return b64encode(bytes(len(content))).decode()

    async def _ask(self, text: str) -> str:
        for mask in self._masks:
            text = await mask.mask(text)
        for guard in self._guards:
            result = await guard.check(OutputGuardRequest(text=text, is_final=True))
            if not isinstance(result, Allowed):
                return _WITHHELD
            text = text if result.text is None else result.text
        return text


def _hide_link(value: dict[str, Any]) -> dict[str, Any]:
    """Leave out the id in the address of a login, whose holder could log in for the owner."""
    url = value.get("url")
    if not (value.get("service") and isinstance(url, str)):
        return value
    return {**value, "url": f"{url.rpartition('/')[0]}/***"}


def _is_id(text: str) -> bool:
    """Return whether Arc has made an id of it, in whose figures a mask may see a number."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
