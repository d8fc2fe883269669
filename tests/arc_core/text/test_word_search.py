"""Finding lines by words: the best ones, in every script, however long they are."""

import pytest

from arc_core.text.word_search import find_passages

REPORT = "\n".join(f"Order {number}: paid by customer {number % 7}." for number in range(3000))


def find(text: str, words: str, *, max_chars: int = 5000) -> str:
    """Find words in one result."""
    return find_passages({"tool/3": text}, words, max_chars=max_chars)


def test_a_line_is_shown_with_its_number_and_two_around_it() -> None:
    """As many as there are."""
    found = find(REPORT, "order 1234").splitlines()

    assert found[0] == "[tool/3]"
    assert [line[:5] for line in found[1:6]] == ["1233-", "1234-", "1235:", "1236-", "1237-"]


def test_rare_words_weigh_more() -> None:
    """The question may have many words that are everywhere, and one that tells."""
    text = f"{REPORT}\nThe refund of order 77 goes to Ms. Aldana.\n{REPORT}"

    assert "Ms. Aldana" in find(text, "which order did the customer Aldana have paid back?")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("송장번호 9981은 김민수의 것이다", "김민수는 어떤 송장번호를 받았습니까"),
        ("請求書番号は９９８１です", "請求書の番号 9981"),
        ("Die GRÖSSE beträgt 9981", "größe"),
        ("badge numbers: 9981", "badge number"),
        ("가나다 송장 9981", "송장"),
    ],
)
def test_parts_of_words_are_found_in_any_script(text: str, words: str) -> None:
    """With what is attached to them, in any case and width."""
    found = find(f"{REPORT}\n{text}\n{REPORT}", words)

    assert text in found


@pytest.mark.parametrize("filling", ["lorem ipsum ", "가나다 라마바 ", "ﬁne ﬂow "])
def test_the_middle_of_a_long_line_is_found(filling: str) -> None:
    """What is around the words is shown, and not the whole line."""
    side = filling * (25_000 // len(filling))
    found = find(f"{side}The badge of Ms. Keller is QX-771. {side}", "badge of Keller")

    assert "The badge of Ms. Keller is QX-771." in found
    assert len(found) < 2500


@pytest.mark.parametrize("words", ["", "  ", ".*", "[^?]+", "\n"])
def test_what_has_no_words_is_refused(words: str) -> None:
    """A pattern is not understood, and is not taken for one."""
    with pytest.raises(ValueError, match="takes words"):
        find(REPORT, words)


def test_ten_thousand_words_are_a_question_like_others() -> None:
    """The first ones count; the answer has no more characters than there is room for."""
    found = find(REPORT, " ".join(f"word{number} order" for number in range(10_000)))

    assert len(found) <= 5000


def test_nothing_found_is_said() -> None:
    """So that the model tries other words."""
    assert find(REPORT, "zebra") == "[none of these words is in tool/3]"


def test_the_best_of_all_results_are_found_with_their_keys() -> None:
    """A model need not know which result has it."""
    texts = {f"tool/{number}": REPORT for number in range(5)} | {"tool/9": "The zebra of order 8."}

    found = find_passages(texts, "the zebra", max_chars=5000)

    assert found.splitlines()[0] == "[tool/9]"
