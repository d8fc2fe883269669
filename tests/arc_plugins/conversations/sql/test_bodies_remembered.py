"""What was read before is the same object, within bounds."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from arc_core import Attachment, UserMessage
from arc_plugins.conversations.sql.bodies import RememberedMessages, encode


def picture(number: int) -> UserMessage:
    """A message with ten bytes attached."""
    return UserMessage((Attachment("image/png", data=b"%10d" % number),))


def test_a_text_is_remembered_without_being_put() -> None:
    """Nothing but its row is needed for it."""
    remembered, body = RememberedMessages(), encode(UserMessage("hi")).body

    assert remembered.get(body) == UserMessage("hi")
    assert remembered.get(body) is remembered.get(body)


def test_a_message_with_attachments_is_remembered_once_put() -> None:
    """Its bytes have to be read first."""
    remembered, stored = RememberedMessages(), encode(picture(1))
    before = remembered.get(stored.body)

    message = remembered.put(stored.body, stored.data)

    assert before is None
    assert message == picture(1)
    assert remembered.get(stored.body) is message


def test_attachments_are_remembered_up_to_a_number_of_bytes() -> None:
    """The least recently read goes."""
    remembered = RememberedMessages(max_bytes=25)
    stored = [encode(picture(number)) for number in range(3)]
    for each in stored[:2]:
        remembered.put(each.body, each.data)
    remembered.get(stored[0].body)

    remembered.put(stored[2].body, stored[2].data)

    assert [remembered.get(each.body) is None for each in stored] == [False, True, False]


def test_putting_twice_counts_once() -> None:
    """Two loads at once may both have read the bytes."""
    remembered = RememberedMessages(max_bytes=25)
    stored = [encode(picture(number)) for number in range(2)]

    for each in (stored[0], stored[0], stored[1]):
        remembered.put(each.body, each.data)

    assert all(remembered.get(each.body) for each in stored)


def test_what_is_too_large_is_given_and_not_remembered() -> None:
    """One attachment may be larger than the bound."""
    remembered, stored = RememberedMessages(max_bytes=5), encode(picture(1))

    assert remembered.put(stored.body, stored.data) == picture(1)
    assert remembered.get(stored.body) is None
