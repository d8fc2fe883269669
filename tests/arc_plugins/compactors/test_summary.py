"""The compactor that has a model tell of what is left out."""

from dataclasses import replace

import pytest

from arc_core import CompactionView, Compactor, InvalidResponseError
from arc_core.testing.conformance.conversations.compactor import CompactorConformance, make_view
from arc_plugins.compactors.summary import SummarizingCompactor


class TestConformance(CompactorConformance):
    """What every compactor must do."""

    def make_compactor(self) -> Compactor:
        """As it is wired by its setting."""
        return SummarizingCompactor()


class Model:
    """Answers every question alike, and remembers the last."""

    def __init__(self, answer: str) -> None:
        self.answer, self.asked = answer, ""

    async def ask(self, system_prompt: str, text: str) -> str:
        """The answer."""
        self.asked = text
        return self.answer


def view_with(model: Model, text: str = "") -> CompactionView:
    """A view of calls whose results are too short to be cleared."""
    view = make_view([10] * 100, budget=3200)
    return replace(view, ask=model.ask, text=text)


async def test_a_summary_stands_in_the_place_of_the_list() -> None:
    """With the keys that it rests on."""
    model = Model("Order 7 is late.")

    chosen = await SummarizingCompactor().compact(view_with(model))

    assert "Order 7 is late." in chosen.text
    assert f"tool/0 to tool/{chosen.dropped - 1}" in chosen.text
    assert "Calls look" in model.asked


async def test_the_notes_of_the_time_before_are_written_anew() -> None:
    """What was summarized once is not lost the next time."""
    model = Model("All is late.")

    await SummarizingCompactor().compact(view_with(model, text="Order 1 was paid."))

    assert "[Notes]\nOrder 1 was paid." in model.asked


async def test_no_model_is_asked_while_clearing_is_enough() -> None:
    """A summary costs a question."""
    model = Model("Nothing.")
    view = replace(make_view([1000] * 10, budget=10_000), ask=model.ask)

    chosen = await SummarizingCompactor().compact(view)

    assert (chosen.dropped, chosen.text, model.asked) == (0, "", "")


async def test_a_model_that_says_nothing_is_a_failure() -> None:
    """So that clearing stands in."""
    with pytest.raises(InvalidResponseError):
        await SummarizingCompactor().compact(view_with(Model(" \n")))


async def test_a_long_summary_is_cut_to_the_room_it_has() -> None:
    """Whatever the model says, the request fits."""
    view = view_with(Model("word " * 1000))

    chosen = await SummarizingCompactor().compact(view)

    assert len(chosen.text) <= view.text_tokens
