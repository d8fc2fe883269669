"""Responses that are deleted."""

from pathlib import Path
from typing import Any

import openai
import pytest

from arc_core.testing import ScriptedChatModel
from tests.arc_plugins.surfaces.openai.clients import REFUND, asking, refund
from tests.arc_plugins.surfaces.openai.responses.test_endpoint import ask

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["memory", "database"])
async def test_a_response_is_deleted(kind: str, tmp_path: Path) -> None:
    """With its conversation; those that went on from it stay, and know what was said."""
    durable = {"enabled": True, "url": f"sqlite:///{tmp_path / 'runs.db'}"}
    sections: dict[str, Any] = {} if kind == "memory" else {"durable": durable}
    model = ScriptedChatModel(["Hello Ann.", "Ann.", "Ann!"])

    async with asking(model, **sections) as client:
        first = await ask(client, input="I am Ann.")
        second = await ask(client, input="Who am I?", previous_response_id=first.id)
        await client.responses.delete(first.id)
        for deleted in (client.responses.retrieve, client.responses.delete):
            with pytest.raises(openai.NotFoundError):
                await deleted(first.id)
        with pytest.raises(openai.NotFoundError):
            await ask(client, previous_response_id=first.id)
        await ask(client, input="Louder.", previous_response_id=second.id)

    said = [getattr(each, "text", "") for each in model.requests[2].messages]
    assert said == ["I am Ann.", "Hello Ann.", "Who am I?", "Ann.", "Louder."]


async def test_a_response_that_waits_is_not_deleted() -> None:
    """Its run would go on once a person has decided."""
    async with asking(ScriptedChatModel([REFUND]), refund) as client:
        waiting = await ask(client)
        with pytest.raises(openai.ConflictError):
            await client.responses.delete(waiting.id)
