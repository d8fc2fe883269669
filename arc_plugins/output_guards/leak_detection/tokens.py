"""Keys and tokens that vendors give out in a form of their own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_letters, digits

from arc_plugins.output_guards.leak_detection.placeholders import is_filler
from arc_plugins.output_guards.leak_detection.scanning import Excerpt, LeakFinding, find_end

_SIGNS = ("_", "-", ".")
SECRET = "[secret]"  # noqa: S105 -- a mask
_WORD = re.compile(r"[A-Za-z0-9_-]*+")
_DOTTED = re.compile(r"[A-Za-z0-9_.-]*+")
_PADDED = re.compile(r"[A-Za-z0-9_+/=-]*+")
_PATH = re.compile(r"[A-Za-z0-9_/-]{0,200}+")


_SK_WITH_NAMES = r"(?:[a-z0-9]{2,8}-){1,2}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{16}"
_WORD_CHARS = frozenset(ascii_letters + digits + "_-")

# The beginning of a token, and the form of the rest of it.
_RESTS: Mapping[str, str] = {
    "sk-": rf"(?:(?:ant|proj|svcacct|admin)-[\w-]{{16}}|[0-9A-Za-z]{{20}}|{_SK_WITH_NAMES})",
    **dict.fromkeys(("sk_", "rk_"), r"(?:live|test|prod)_[0-9A-Za-z]{16}"),
    "whsec_": r"[0-9A-Za-z]{24}",
    **dict.fromkeys(("AKIA", "ASIA"), r"[0-9A-Z]{16}"),
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[0-9A-Za-z]{30}"),
    "github_pat_": r"[0-9A-Za-z_]{22}",
    **dict.fromkeys(("glpat-", "gldt-", "glrt-"), r"[\w-]{20}"),
    "xox": r"[abeoprs]-[\w-]{10}",
    **dict.fromkeys(("xapp-", "GOCSPX-", "ya29."), r"[\w-]{20}"),
    "AIza": r"[\w-]{35}",
    "SK": r"[0-9a-f]{32}",
    "SG.": r"[\w-]{16,32}\.[\w-]{16}",
    **dict.fromkeys(("npm_", "hf_"), r"[0-9A-Za-z]{30}"),
    "pypi-": r"[\w-]{50}",
    "dop_v1_": r"[0-9a-f]{64}",
    "shpat_": r"[0-9a-fA-F]{32}",
    "glptt-": r"[0-9a-f]{40}",
    **dict.fromkeys(("gsk_", "lin_api_", "ntn_", "pplx-"), r"[0-9A-Za-z]{40}"),
    "xai-": r"[0-9A-Za-z]{60}",
    "hvs.": r"[\w-]{24}",
    "dckr_pat_": r"[\w-]{27}",
    "figd_": r"[\w-]{40}",
    "sbp_": r"[0-9a-f]{40}",
    "r8_": r"[0-9A-Za-z]{37}",
    "NRAK-": r"[0-9A-Z]{27}",
    "sq0atp-": r"[\w-]{22}",
    "glsa_": r"[0-9A-Za-z]{32}_[0-9a-f]{8}",
    "AGE-SECRET-KEY-1": r"[0-9A-Z]{58}",
    "eyJ": r"[\w-]{8,}+\.[\w-]{4,}+\.[\w-]{10}",
    **dict.fromkeys(("ATATT3", "ATCTT3"), r"[\w-]{20}"),
    "ATBB": r"[0-9A-Za-z]{28}",
    **dict.fromkeys(("dapi", "sntryu_", "key-"), r"[0-9a-f]{32}"),
    "lsv2_": r"[a-z]{2}_[0-9a-f]{32}",
    "sntrys_": r"eyJ[\w+/=-]{30}",
    "HRKU-": r"(?:AA[\w-]{40}|[0-9a-f]{8}-[0-9a-f]{4}-)",
    "/api/webhooks/": r"[0-9]{15,22}/[\w-]{40}",
    "hooks.slack.com/services/": r"T\w{6,}/B\w{6,}/\w{16}",
}
_FORMS = {prefix: re.compile(re.escape(prefix) + rest) for prefix, rest in _RESTS.items()}
# As far as a token may reach, if further than a word.
_EXTENTS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("glpat-", "ya29.", "SG.", "hvs.", "eyJ"), _DOTTED),
    **dict.fromkeys(("ATATT3", "ATCTT3", "sntrys_"), _PADDED),
    **dict.fromkeys(("/api/webhooks/", "hooks.slack.com/services/"), _PATH),
}
# Most text has none of the signs that most of them have, so that few are looked for.
_PREFIXES: Mapping[str, Sequence[str]] = {
    sign: [p for p in _FORMS if sign == next((each for each in _SIGNS if each in p), "")]
    for sign in ("", *_SIGNS)
}
# Behind other letters this is often none: `task-…`.
_AMONG_LETTERS: Mapping[str, re.Pattern[str]] = {
    "sk-": re.compile(r"sk-(?:(?:ant|proj|svcacct)-[\w-]{16}|(?=[a-zA-Z]*[0-9])[0-9A-Za-z]{20})")
}
LONGEST_PREFIX_CHARS = 30
"""That much must be seen of a token to know that it may be one."""

_DISCORD_DOT = re.compile(r"\.(?<=[A-Za-z0-9_-]{23}\.)")
_DISCORD_FORM = re.compile(r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27}")
_MOST_BEFORE_DOT, _LEAST_BEFORE_DOT = 28, 23
_TELEGRAM = ":AA"
_TELEGRAM_FORM = re.compile(r":AA[\w-]{33}")
_MAX_BOT_DIGITS, _MIN_BOT_DIGITS = 10, 8


def places(text: str, words: str, *, since: int) -> Iterator[int]:
    """Find the places of some words in a text since some place, in order."""
    place = text.find(words, max(0, since))
    while place >= 0:
        yield place
        place = text.find(words, place + len(words))


def find_tokens(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Tokens, also behind a word without a blank, and whatever may become one."""
    text = excerpt.text
    for sign, prefixes in _PREFIXES.items():
        for prefix in prefixes if sign in text else ():
            if prefix in text:
                yield from _find_form(excerpt, prefix)
    for dot in _DISCORD_DOT.finditer(text, excerpt.begin):
        yield from _find_discord_token(excerpt, dot.start())
    if _TELEGRAM in text:
        for place in places(text, _TELEGRAM, since=excerpt.begin):
            yield from _find_bot_token(excerpt, place)


def _find_form(excerpt: Excerpt, prefix: str) -> Iterator[LeakFinding]:
    text = excerpt.text
    extent, form = _EXTENTS.get(prefix, _WORD), _FORMS[prefix]
    end = decided = 0
    for place in places(text, prefix, since=excerpt.begin):
        begin = place + len(prefix)
        if begin <= decided:
            continue
        if begin > end:  # else in the run of the one before, which is read once
            end = find_end(extent, text, begin)
        if excerpt.is_open(end):
            yield LeakFinding(start=place, end=end, mask=SECRET, is_open=True)
            return
        is_among_letters = place > 0 and text[place - 1] in _WORD_CHARS
        mine = _AMONG_LETTERS.get(prefix, form) if is_among_letters else form
        token = mine.match(text, place, end)
        if token and not is_filler(token[0][len(prefix) :]):
            yield LeakFinding(start=place, end=end, mask=SECRET)
        elif token or extent is not _DOTTED:
            continue
        # The finding has the rest of the word; and what is cut short by a dot is so in all of it.
        decided = find_end(_WORD, text, begin)


def _find_bot_token(excerpt: Excerpt, place: int) -> Iterator[LeakFinding]:
    text = excerpt.text
    before = text[max(0, place - _MAX_BOT_DIGITS - 1) : place]
    count = len(before) - len(before.rstrip(digits))
    start = place - count
    if not _MIN_BOT_DIGITS <= count <= _MAX_BOT_DIGITS:
        return
    end = find_end(_WORD, text, place + 1)
    if (is_open := excerpt.is_open(end)) or _TELEGRAM_FORM.match(text, place, end):
        yield LeakFinding(start=start, end=end, mask=SECRET, is_open=is_open)


def _find_discord_token(excerpt: Excerpt, dot: int) -> Iterator[LeakFinding]:
    """A token of which the first part ends at a dot, also behind a word without a blank."""
    text, end = excerpt.text, find_end(_DOTTED, excerpt.text, dot)
    for place in range(max(0, dot - _MOST_BEFORE_DOT), dot - _LEAST_BEFORE_DOT + 1):
        is_begun = text[place] in "MNO" and _WORD.fullmatch(text, place, dot) is not None
        if is_begun and (excerpt.is_open(end) or _DISCORD_FORM.match(text, place, end)):
            yield LeakFinding(start=place, end=end, mask=SECRET, is_open=excerpt.is_open(end))
            return


_BEGIN = "-----BEGIN"
_HEADER = re.compile(r"-----BEGIN[A-Z0-9 ]{0,40}+-{0,5}+")
_PRIVATE = re.compile(r"PRIVATE KEY(?: BLOCK)?-----\Z")
_BREAK = re.compile(r"(?:[ \t\r\n>|\"'+,]|\\[rn]?)*+")
_FIELD = re.compile(r"[A-Z][A-Za-z-]{2,20}: ?[^\n\\]{0,120}")
_DATA = re.compile(r"[A-Za-z0-9+/=]*+")
_FOOTER = re.compile(r"-{0,5}+(?:END[A-Z0-9 ]{0,40}+-{0,5}+)?")
_LINE_BREAKS = frozenset("\n\r\\")
_MIN_WORD_CHARS = 24


def find_private_keys(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Blocks from their first line to the last one, or to the end of their data without one."""
    if _BEGIN not in excerpt.text:
        return
    behind = 0
    for place in places(excerpt.text, _BEGIN, since=excerpt.begin):
        if place < behind:
            continue
        for finding in _find_block(excerpt, place):
            behind = finding.end
            yield finding


def _find_block(excerpt: Excerpt, place: int) -> Iterator[LeakFinding]:
    text = excerpt.text
    header = _HEADER.match(text, place)
    assert header is not None
    end, data_chars = header.end(), 0
    if not excerpt.is_open(end):
        if not _PRIVATE.search(header[0]):
            return
        end, data_chars = _read_body(excerpt, end)
    if (is_open := excerpt.is_open(end)) or data_chars:
        yield LeakFinding(start=place, end=end, mask=SECRET, is_open=is_open)


def _read_body(excerpt: Excerpt, place: int) -> tuple[int, int]:
    """Return the end of a block, or of the text if it may go on there, and the size of its data."""
    text, end, data_chars = excerpt.text, place, 0
    while True:
        begin = find_end(_BREAK, text, end)
        if begin == len(text):
            return (end if excerpt.is_final else begin), data_chars
        if text.startswith("-", begin):
            return find_end(_FOOTER, text, begin), data_chars
        if (field := _FIELD.match(text, begin)) and begin > end:
            # A field counts, so that not each of many headers in fields is read to their end.
            end, data_chars = field.end(), data_chars + 1
            continue
        chars = find_end(_DATA, text, begin) - begin
        is_line = end == begin or not _LINE_BREAKS.isdisjoint(text[end:begin])
        is_line = is_line and text[begin + chars : begin + chars + 1] != " "  # a word of prose
        may_go_on = excerpt.is_open(begin + chars)
        if not chars or not (is_line or chars >= _MIN_WORD_CHARS or may_go_on):
            return end, data_chars
        end, data_chars = begin + chars, data_chars + chars
