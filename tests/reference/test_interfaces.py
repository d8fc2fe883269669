"""The pages of interfaces say how each is wired, what a failure means, and its rules."""

from reference.interfaces import interface_index, interface_pages


def test_a_contribution_says_its_order_its_failure_and_its_rules() -> None:
    """A guard is the example that most packages bring."""
    page = interface_pages()["guard"]

    assert "in ascending `order`" in page
    assert "`guard.enabled = false` leaves all of them out." in page
    assert "entry point of the group `arc.guards`" in page
    assert "| `Guard.check` | closed | the run ends with `GUARD_REJECTED` |" in page
    assert "from arc_core.testing.conformance.guards.guard import GuardConformance" in page
    assert "- It fails closed. A guard that cannot do its work" in page


def test_a_slot_says_which_settings_choose_its_component() -> None:
    """And which ones Arc has, each with its condition."""
    page = interface_pages()["chat-model"]

    assert "`components.chat_model` names it." in page
    assert "- `llm.provider` names it, too." in page
    assert "| environment variable ANTHROPIC_API_KEY is set |" in page


def test_the_index_tells_slots_from_contributions() -> None:
    """Each page is listed once."""
    slots, _, contributions = interface_index().partition("## Contributions")

    assert "(chat-model.md)" in slots
    assert "(guard.md)" in contributions
    assert all(interface_index().count(f"]({name}.md)") == 1 for name in interface_pages())
