"""The texts of steps, which journals keep over the versions of Arc."""

import pytest

from arc_core.engine.journal.records import Record, ToolAttempt
from arc_core.engine.journal.step_forms import BEGUN
from arc_core.errors import FormError

_TEXT = '{"type":"step","value":{"type":"begun","life":"a"},"active_s":1.5,"told":7}'


def test_a_record_of_an_earlier_version_is_read_and_written_the_same() -> None:
    """Its keys are those by which `last_seq` and `attempt_id` were always written."""
    record = Record(value=ToolAttempt(attempt_id="a"), active_s=1.5, last_seq=7)

    assert BEGUN.read(_TEXT) == record
    assert BEGUN.write(record) == _TEXT


def test_a_record_that_lacks_a_key_is_refused() -> None:
    """It is named as the text would have it."""
    with pytest.raises(FormError, match="the type 'begun' needs the key 'life'"):
        BEGUN.read('{"type":"step","value":{"type":"begun"}}')
