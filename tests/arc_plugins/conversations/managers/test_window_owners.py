"""Who a session belongs to, by a command."""

import pytest

from arc_core import AgentCommand, ConversationOwner
from arc_plugins.conversations.managers.window import get_owner


@pytest.mark.parametrize(
    ("user_id", "tenant_id", "owner"),
    [
        ("ann", None, ConversationOwner("ann")),
        (" ann ", " acme ", ConversationOwner("ann", "acme")),
        (None, "", ConversationOwner("anonymous")),
        (" ", " ", ConversationOwner("anonymous")),
    ],
)
def test_blanks_make_no_other_owner(
    user_id: str | None, tenant_id: str | None, owner: ConversationOwner
) -> None:
    """A blank name is none, and blanks around a name do not count."""
    command = AgentCommand(user_prompt="hi", user_id=user_id, tenant_id=tenant_id)

    assert get_owner(command) == owner
