"""Numbers that belong to a person: phones, cards, accounts, and Korean resident numbers.

Needs the extra `guards`: `phonenumbers` knows the numbering plans of all countries, `stdnum` the
check digits.
"""

import re
from collections.abc import Iterator
from datetime import date
from string import ascii_letters, digits

import phonenumbers
from stdnum import iban, luhn

from arc_plugins.output_guards.leak_detection.scanning import Excerpt, LeakFinding, find_end

# Each start is looked at by itself, so that what is found does not depend on what is before it.
_START = re.compile(r"(?:[+(]|(?<![0-9_.+-]))(?=[0-9][0-9 ().-]{5})")
_HAS_NUMBER = re.compile(r"[0-9][0-9 ().-]{5}")
_END = r"(?![0-9_]|[.-][0-9])"
_BESIDE = re.compile(r"[A-Za-z0-9_]{0,32}")
_WORD_CHARS = frozenset(ascii_letters + digits + "_")
_CARD = re.compile(
    r"(?:[0-9]{14,19}|[0-9]{4}( {1,2}|[.-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|"
    r"3[0-9]{3}( {1,2}|[.-])[0-9]{6}\2[0-9]{4,5})" + _END
)
# The first digits and the lengths of cards; those of 13 digits are gone, and look like barcodes.
_NETWORKS = (
    (range(4000, 5000), (16, 19)),
    (range(5100, 5600), (16,)),
    (range(2221, 2721), (16,)),
    (range(3400, 3500), (15,)),
    (range(3700, 3800), (15,)),
    (range(3000, 3060), (14, 16)),
    (range(3600, 3700), (14,)),
    (range(3800, 4000), (14, 16)),
    (range(3528, 3590), (16,)),
    (range(6011, 6012), (16, 19)),
    (range(6440, 6600), (16, 19)),
    (range(6200, 6300), (16, 17, 18, 19)),
)
_RESIDENT = re.compile(r"([0-9]{2})([0-9]{2})([0-9]{2})( ?- ?|)([1-8])[0-9]{6}" + _END)
_CENTURIES = dict.fromkeys("1256", 1900) | dict.fromkeys("3478", 2000)
_SEPARATORS = str.maketrans("", "", " .-")
_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_INTERNATIONAL = re.compile(r"(?:\+|00 ?(?=[1-9]))[0-9]{1,4}(?:[ .-]?\(?[0-9]{1,6}\)?){2,6}" + _END)
_KOREAN = re.compile(
    r"\(?0(?:2|[3-6][1-5]|1[016789]|70|50[2-8]?|80)\)?[ .-]?[0-9]{3,4}[ .-][0-9]{4}"
    + _END
    + r"|010[0-9]{8}"
    + _END
)
_AMERICAN = re.compile(r"(?:1[ .-])?(?:\([0-9]{3}\) ?|[0-9]{3}[ .-])[0-9]{3}[ .-][0-9]{4}" + _END)
_AMERICA, _KOREA = 1, 82
_FICTIONAL = re.compile(r"(?:555[0-9]{7}|[2-9][0-9]{2}555[0-9]{4})\Z")
_MOBILE = re.compile(r"10[2-9][0-9]{7}\Z")
_NATIONAL = ((_KOREAN, "KR"), (_AMERICAN, "US"))
_HAS_DIGIT = re.compile("[0-9]")
_ACCOUNT_START = re.compile(r"[a-zA-Z]{2}[0-9]{2}(?=[ .-]?[a-zA-Z0-9]{4})")
_ACCOUNT = re.compile(
    r"[A-Za-z]{2}[0-9]{2}(?:[ .-]?[A-Za-z0-9]{4}){2,7}(?:[ .-]?[A-Za-z0-9]{1,3})?"
)
_UNFINISHED = (
    re.compile(r"(?:[+(]?[0-9][0-9 ().-]{0,63}|[+(])\Z"),
    re.compile(r"(?:[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 .-]{0,44}|[A-Za-z]{2}[0-9]?|[A-Za-z])\Z"),
)
_LAST_CHAR, _LETTER = 2, 10


def find_numbers(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Cards and resident numbers by their check digits, phones by numbering plans."""
    if not _HAS_NUMBER.search(excerpt.text, excerpt.begin):
        return
    for start in _START.finditer(excerpt.text, excerpt.begin):
        place = start.start()
        if excerpt.text[place] != "+" and not _is_word(_before(excerpt.text, place)):
            continue
        mask, end = _read_number(excerpt.text, place)
        if mask:
            behind = find_end(_BESIDE, excerpt.text, end)
            is_open = excerpt.is_open(behind) or (
                not excerpt.is_final and end + _LAST_CHAR > len(excerpt.text)
            )
            if not is_open and not _is_word(excerpt.text[end:behind]):
                continue
            yield LeakFinding(start=place, end=end, mask=mask, is_open=is_open)


def _before(text: str, place: int) -> str:
    """The letters and digits directly before a place."""
    before = text[max(0, place - 32) : place]
    for count, char in enumerate(reversed(before)):
        if char not in _WORD_CHARS:
            return before[len(before) - count :]
    return before


def _is_word(beside: str) -> bool:
    """Return whether nothing or a word stands beside a number, and no part of an identifier."""
    return not beside or beside.isalpha()


def _read_number(text: str, place: int) -> tuple[str, int]:
    """The mask of a number and its end; no mask if it is not one."""
    if (card := _CARD.match(text, place)) and _is_card(card[0]):
        return "[card]", card.end()
    if (resident := _RESIDENT.match(text, place)) and _is_resident(resident):
        return "[resident number]", resident.end()
    if text.startswith(("+", "00"), place):
        return "[phone]" if (end := _end_of_phone(text, place)) else "", end
    for form, region in _NATIONAL:
        phone = form.match(text, place)
        if phone and _is_phone(phone[0], region):
            return "[phone]", phone.end()
    return "", place


def _is_card(written: str) -> bool:
    number = written.translate(_SEPARATORS)
    first = int(number[:4])
    if not any(first in firsts and len(number) in lengths for firsts, lengths in _NETWORKS):
        return False
    return bool(luhn.is_valid(number))


def _is_resident(number: re.Match[str]) -> bool:
    """Since October 2020 the last digit checks nothing; then the hyphen must be there."""
    year, month, day, hyphen, century = number.groups()
    try:
        date(_CENTURIES[century] + int(year), int(month), int(day))
    except ValueError:
        return False
    if hyphen:
        return True
    each = [int(digit) for digit in number[0].translate(_SEPARATORS)]
    total = sum(weight * digit for weight, digit in zip(_WEIGHTS, each, strict=False))
    return (11 - total % 11) % 10 == each[-1]


def _end_of_phone(text: str, place: int) -> int:
    """Return the end of a number with a country code; 0 if it is not one.

    What stands behind it may look like a part of it, so that its groups are left out one by one.
    """
    number = _INTERNATIONAL.match(text, place)
    while number:
        if _is_phone(number[0], None):
            return number.end()
        cut = max(number[0].rfind(separator) for separator in " .-)(")
        if cut <= 0:
            return 0
        number = _INTERNATIONAL.match(text, place, place + cut)
    return 0


def _is_phone(written: str, region: str | None) -> bool:
    try:
        international = f"+{written[2:]}" if written.startswith("00") else written
        number = phonenumbers.parse(international, region)
    except phonenumbers.NumberParseException:
        return False
    if number.country_code == _AMERICA and _FICTIONAL.match(str(number.national_number)):
        return True
    if number.country_code == _KOREA and _MOBILE.match(str(number.national_number)):
        return True  # the plan has gaps that are given out from time to time
    return phonenumbers.is_valid_number(number)


def begin_of_number(tail: str) -> int:
    """Return the place of a number or an IBAN that may go on behind the text; else its end."""
    found = (form.search(tail) for form in _UNFINISHED)
    return min((each.start() for each in found if each), default=len(tail))


def find_accounts(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """IBANs with the length, form and check digits of their country."""
    text = excerpt.text
    if not _HAS_DIGIT.search(text, excerpt.begin):
        return
    for start in _ACCOUNT_START.finditer(text, excerpt.begin):
        place = start.start()
        account = _ACCOUNT.match(text, place)
        if account is None or (place and text[place - 1] in digits):
            continue
        length = _length_of_account(account[0])
        if length:
            end = place + length
            yield LeakFinding(start=place, end=end, mask="[iban]", is_open=excerpt.is_open(end))


def _length_of_account(written: str) -> int:
    """Return the length of the IBAN in it, as its country writes them; 0 is none."""
    head = int(f"{int(written[0], 36)}{int(written[1], 36)}{written[2:4]}")
    rest, length = 0, 0
    for place, char in enumerate(written[4:], start=4):
        if char in " .-":
            continue
        value = int(char, 36)
        rest = (rest * (10 if value < _LETTER else 100) + value) % 97
        # `is_valid` takes many times as long to say that check digits are wrong.
        # Of length and check digits: the countries' own lists of banks are not complete.
        if (rest * 1_000_000 + head) % 97 == 1 and iban.is_valid(
            written[: place + 1], check_country=False
        ):
            length = place + 1
    return length
