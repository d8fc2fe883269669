"""Every pattern of the module `re`, which backtracks, is listed with what bounds its time."""

import re
import time
from collections.abc import Callable, Iterator

import pytest

from tests.architecture.regular_expressions import patterns_at, places, places_in

Use = Callable[[re.Pattern[str], str], object]
_LENGTH, _LIMIT_S = 5_000, 0.25  # a quadratic pattern takes longer, a linear one 2 ms
_UNITS = (
    *"aA0_-.,@#&`~'\"[(+ \n\té가\u200b",
    *("a ", "a.", "1,", "aA", "A ", "\n ", "&#0", "' ", "a@", "in ", "1 + ", "(1", "_a", "a="),
)
_STARTS = ("# ", "[a", "```", '"', "a@", "-----BEGIN ")
_AFTER_A_START = (" ", "a", "`", " #", "a.", "A")


def at_start(pattern: re.Pattern[str], text: str) -> object:
    """For what is used with `match` or `fullmatch` only."""
    return pattern.match(text), pattern.fullmatch(text)


def anywhere(pattern: re.Pattern[str], text: str) -> object:
    return sum(1 for _ in pattern.finditer(text))


ONE = "a fixed number of characters, or of one class: nothing to try again"
APART = "its repeats are told apart by their next character: nothing to try again"
POSSESSIVE = "its repeats give nothing back"
SHORT = "its repeats have a small upper bound"
WORDS = "fixed words"
OWN = "reads what Arc itself writes"

BOUNDS: dict[str, tuple[Use, str]] = {
    "arc_autoconfig.cli.commands.plugin:_FORM": (at_start, APART),
    "arc_autoconfig.cli.commands.plugin:module": (anywhere, ONE),
    "arc_autoconfig.cli.commands.plugin:_target": (anywhere, WORDS),
    "arc_autoconfig.installed:_MENTIONS_ARC": (anywhere, POSSESSIVE),
    "arc_autoconfig.installed:_PLAIN_REQUIREMENT": (at_start, POSSESSIVE),
    "arc_autoconfig.installed:_PLAIN_VERSION": (at_start, POSSESSIVE),
    "arc_autoconfig.installed:normalize_name": (anywhere, ONE),
    # The patterns are those of h11: tests/arc_autoconfig/server/test_running_connections.py
    "arc_autoconfig.server.running:_bound_parsing": (at_start, POSSESSIVE),
    "arc_core.retrieval.files:_BLANK_LINES": (anywhere, ONE),
    "arc_core.retrieval.files:_SPACE": (anywhere, ONE),
    "arc_core.retrieval.passages:_FENCE": (at_start, ONE),
    "arc_core.retrieval.passages:_HEADING": (at_start, APART),
    "arc_core.retrieval.passages:_PARAGRAPHS": (anywhere, APART),
    "arc_core.runs.run_ids:_OF_A_TENANT": (at_start, ONE),
    "arc_autoconfig.settings.inputs.files:_ENTRY": (at_start, POSSESSIVE),
    "arc_autoconfig.settings.inputs.files:_HEADER": (at_start, POSSESSIVE),
    "arc_autoconfig.settings.inputs.files:_KEY": (at_start, POSSESSIVE),
    "arc_autoconfig.settings.inputs.variables:_REFERENCE": (anywhere, POSSESSIVE),
    "arc_autoconfig.settings.inputs.files:_MAY_HOLD_SETTINGS": (anywhere, POSSESSIVE),
    "arc_autoconfig.settings.inputs.variables:_REDIRECTS": (anywhere, WORDS),
    "arc_autoconfig.visible_text:_BREAKS": (anywhere, ONE),
    "arc_autoconfig.visible_text:_UNSAFE": (anywhere, ONE),
    "arc_core.text.addresses:_ADDRESS": (anywhere, APART),
    "arc_core.text.addresses:_END_OF_HOST": (anywhere, ONE),
    "arc_core.text.addresses:_without_secrets": (anywhere, ONE),
    "arc_core.serving.event_streams:_POSITION": (at_start, APART),
    "arc_core.assembly.source_lines:name": (anywhere, ONE),
    "arc_core.engine.answers.structured_output:_BLANK_LINES": (at_start, APART),
    "arc_core.engine.answers.structured_output:_FENCE": (at_start, POSSESSIVE),
    "arc_core.engine.guards.output_guards:_BEGINNING": (anywhere, SHORT),
    "arc_core.engine.guards.output_guards:_ESCAPE": (anywhere, APART),
    "arc_core.engine.guards.output_guards:_LINE_BREAK": (anywhere, APART),
    "arc_core.engine.guards.output_guards:_PAIR_BEGINNING": (anywhere, ONE),
    "arc_core.engine.model_calls.retry:_TEXTS": (anywhere, WORDS),
    "arc_core.engine.answers.strict_yaml:_INTEGER": (at_start, APART),
    "arc_core.engine.answers.strict_yaml:_NO_NUMBER": (at_start, WORDS),
    "arc_core.engine.answers.strict_yaml:_NUMBER": (at_start, APART),
    "arc_core.engine.tool_calls.tool_output:_PREFIX": (anywhere, WORDS),
    "arc_core.tools.json_schema_validation.patterns:_ESCAPE": (anywhere, ONE),
    "arc_core.log:_SURROGATE": (anywhere, ONE),
    "arc_core.text.excerpts:_FOUND_IN": (anywhere, SHORT),
    "arc_core.text.excerpts:_GOES_ON": (anywhere, SHORT),
    "arc_core.text.excerpts:_LINES_OF": (anywhere, SHORT),
    "arc_core.text.excerpts:_LISTED": (anywhere, APART),
    "arc_core.text.excerpts:_NAMED": (anywhere, SHORT),
    "arc_core.text.excerpts:_RANGE": (at_start, APART),
    "arc_core.text.masking:_CREDENTIALS": (anywhere, SHORT),
    "arc_core.text.masking:_KNOWN_KEYS": (anywhere, APART),
    "arc_core.text.masking:_NAME_AND_SIGN": (anywhere, SHORT),
    "arc_core.text.masking:_PRIVATE_KEY": (anywhere, SHORT),
    "arc_core.text.masking:_VALUE": (anywhere, APART),
    "arc_core.text.masking:_WORD": (anywhere, APART),
    "arc_core.text.terms:_CAMEL_CASE": (anywhere, ONE),
    "arc_core.text.terms:_TERM": (anywhere, ONE),
    "arc_core.text.terms:_terms_of_run": (at_start, ONE),
    "arc_core.testing.scripted_model:_PIECE": (anywhere, APART),
    "arc_core.tools.function_tool:_NAME": (at_start, SHORT),
    "arc_core.wire.payloads:_NOT_IN_A_NAME": (anywhere, ONE),
    "arc_core.stores.sql:_BLANK_OR_BACKSLASH": (anywhere, ONE),
    "arc_core.wire.guarded_client:_HEADERS": (anywhere, ONE),
    "arc_core.wire.guarded_client:_TRACED_VALUE": (anywhere, ONE),
    "arc_plugins.estimators.bpe.estimator:_OLDER_MODEL": (at_start, APART),
    "arc_plugins.estimators.heuristic:_ON_OTHER_PAGES": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:DELIMITER": (anywhere, SHORT),
    "arc_plugins.guards.injection_detection.disguises:_CAMEL_CASE": (anywhere, APART),
    "arc_plugins.guards.injection_detection.disguises:_ENTITY": (anywhere, SHORT),
    "arc_plugins.guards.injection_detection.disguises:_GAP": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_HINT_IN_ASCII": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_HINT_OF_CAMEL_CASE": (anywhere, APART),
    "arc_plugins.guards.injection_detection.disguises:_HINT_OF_MIXED": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_HINT_OF_SPACED_LETTERS": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_HUMP": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_IN_A_WORD": (anywhere, POSSESSIVE),
    "arc_plugins.guards.injection_detection.disguises:_LATIN": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_LEET": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_LEET_WORD": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_MARKS": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_MARK_FLAG_OR_BOX": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_MIXED_WORD": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.disguises:_SPACED_LETTERS": (anywhere, APART),
    "arc_plugins.guards.injection_detection.encodings:_CODES": (anywhere, APART),
    "arc_plugins.guards.injection_detection.encodings:_DIGIT": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.encodings:_from_binary": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.encodings:_from_hexadecimal": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.encodings:_from_morse": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.encodings:_from_numbers": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.results:_SELECTORS": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.results:_TAGS": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.marks:_PART": (anywhere, APART),
    "arc_plugins.guards.injection_detection.marks:read": (anywhere, SHORT),
    "arc_plugins.guards.injection_detection.results:_WORD": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.results:_CUT": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.results:_LINE_BREAK_IN_A_STRING": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:_ACCENTED": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:_KANA": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:_FOUND_INSIDE": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:_HANGUL": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:_KANA_OR_IDEOGRAPH": (anywhere, ONE),
    "arc_plugins.guards.injection_detection.words:_WORD": (anywhere, APART),
    "arc_plugins.guards.injection_detection.words:words": (anywhere, WORDS),
    "arc_core.text.character_classes:_RARE": (anywhere, SHORT),
    "arc_core.text.character_classes:cover": (anywhere, ONE),
    "arc_core.text.character_classes:CONTROLS": (anywhere, ONE),
    "arc_core.text.character_classes:FOLDABLE": (anywhere, ONE),
    "arc_core.text.character_classes:_TAG": (anywhere, ONE),
    "arc_core.text.character_classes:_UNSEEN_RUN": (anywhere, ONE),
    "arc_core.text.character_classes:_VARIATION_SELECTOR": (anywhere, ONE),
    "arc_core.text.character_classes:INVISIBLE": (anywhere, ONE),
    "arc_core.text.character_classes:KEPT": (anywhere, ONE),
    "arc_core.text.character_classes:ODD": (anywhere, ONE),
    "arc_core.text.character_classes:ODD_FORM": (anywhere, ONE),
    "arc_core.text.character_classes:_find_run": (anywhere, ONE),
    "arc_core.text.cleaning:_ODD": (anywhere, ONE),
    "arc_core.text.cleaning:_ENTITY": (anywhere, SHORT),
    "arc_core.text.cleaning:_BEGUN_ESCAPE": (anywhere, APART),
    "arc_core.text.cleaning:_ESCAPE": (anywhere, SHORT),
    "arc_core.text.lookalikes:_BEFORE_LATIN": (anywhere, ONE),
    "arc_core.text.lookalikes:_BESIDE_LATIN": (anywhere, ONE),
    "arc_core.text.lookalikes:_FOLDABLE_WORD": (anywhere, APART),
    "arc_core.text.lookalikes:_FOREIGN": (anywhere, ONE),
    "arc_core.text.lookalikes:LOOKALIKE": (anywhere, ONE),
    "arc_core.text.lookalikes:_SMALL_CAPITALS": (anywhere, ONE),
    "arc_plugins.hosts.bedrock.errors:_TOO_LONG": (anywhere, WORDS),
    "arc_plugins.models.anthropic.errors:_CONTEXT_TOO_LONG": (anywhere, WORDS),
    "arc_plugins.models.anthropic.encode:ID_PATTERN": (at_start, SHORT),
    "arc_plugins.models.gemini.chat_model:_ENDS_WITH_VERSION": (anywhere, ONE),
    "arc_plugins.embedders.gemini:_ENDS_WITH_VERSION": (anywhere, ONE),
    "arc_plugins.models.gemini.encode:_NAME": (at_start, SHORT),
    "arc_plugins.models.gemini.encode:_OLDER": (at_start, WORDS),
    "arc_plugins.models.gemini.errors:_CONTEXT_TOO_LONG": (anywhere, APART),
    "arc_core.wire.embedding_errors:_TOO_LONG": (anywhere, APART),
    "arc_plugins.models.gemini.decode:_STEP": (at_start, APART),
    "arc_plugins.models.offline.chat_model:_PIECE": (anywhere, OWN),
    "arc_plugins.models.offline.question:HANGUL": (anywhere, ONE),
    "arc_plugins.models.offline.question:_BEFORE_A_PLACE": (at_start, WORDS),
    "arc_plugins.models.offline.question:_CLAUSE_END": (anywhere, WORDS),
    "arc_plugins.models.offline.question:_CONCEPTS": (anywhere, WORDS),
    "arc_plugins.models.offline.question:_DATE_TIME_OR_NAME": (anywhere, SHORT),
    "arc_plugins.models.offline.question:_EXPRESSION": (anywhere, POSSESSIVE),
    "arc_plugins.models.offline.question:_NAME": (anywhere, SHORT),
    "arc_plugins.models.offline.question:_NUMBER": (anywhere, POSSESSIVE),
    "arc_plugins.models.offline.question:_PARTICLE": (anywhere, WORDS),
    "arc_plugins.models.offline.question:_QUOTED": (anywhere, SHORT),
    "arc_plugins.models.offline.question:_SPOKEN": (anywhere, WORDS),
    "arc_plugins.models.openai.errors:_CONTEXT_TOO_LONG": (anywhere, APART),
    "arc_plugins.models.openai.errors:_VERSION": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.secrets:_NAME": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.assignments:_COOKIES": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.assignments:_COOKIE_VALUE": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.assignments:_LOGIN": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.assignments:_LOGIN_FORM": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.tokens:_DISCORD_DOT": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.tokens:_DISCORD_FORM": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.tokens:_PADDED": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.elements:_ADDRESS": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.elements:_ATTRIBUTE": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.elements:_BEGUN_ESCAPE": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.elements:_ESCAPE": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.elements:_IN_A_SET": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.elements:_IN_A_STYLE": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.elements:_LEFT_OUT": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.elements:_SPACE": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.elements:_START": (anywhere, WORDS),
    "arc_plugins.output_guards.leak_detection.elements:_STYLE": (anywhere, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.elements:_STYLE_ATTRIBUTE": (anywhere, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.links:_ABSOLUTE": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.links:_SOURCE": (anywhere, WORDS),
    "arc_plugins.output_guards.leak_detection.markdown:_BRACKETS": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.markdown:_IN_ANGLES": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.markdown:_IN_LINE": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.markdown:_SIGN": (anywhere, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.urls:_split": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.assignments:_HEXADECIMAL": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.assignments:_BARE": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.assignments:_CLASSES": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.assignments:_EXPRESSION": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.assignments:_QUOTED": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.assignments:_SIGN": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.assignments:_USER_AND_PASSWORD": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.links:_ANCHOR": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.links:_BARE": (at_start, APART),
    "arc_plugins.output_guards.leak_detection.links:_START": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.links:_UP_TO": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.numbers:_ACCOUNT": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_ACCOUNT_START": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_AMERICAN": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_BESIDE": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_CARD": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_HAS_NUMBER": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_HAS_DIGIT": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.numbers:_INTERNATIONAL": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_KOREAN": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_MOBILE": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.numbers:_RESIDENT": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.personal_data:_DOMAIN_ENDS": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.tokens:_AMONG_LETTERS": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_FICTIONAL": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_UNFINISHED": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.numbers:_START": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.personal_data:_DOMAIN": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.personal_data:_TOP": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.placeholders:_CHANGE": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.placeholders:_DIGIT": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.placeholders:_FILLS": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.placeholders:_FILLER": (anywhere, WORDS),
    "arc_plugins.output_guards.leak_detection.placeholders:_MADE_UP": (anywhere, WORDS),
    "arc_plugins.output_guards.leak_detection.tokens:_BREAK": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_DATA": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_FIELD": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.tokens:_FOOTER": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_HEADER": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_PRIVATE": (anywhere, WORDS),
    "arc_plugins.output_guards.leak_detection.scanning:_REST_OF_WORD": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_DOTTED": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_FORMS": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.tokens:_PATH": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.tokens:_TELEGRAM_FORM": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.tokens:_WORD": (at_start, POSSESSIVE),
    "arc_plugins.output_guards.leak_detection.urls:_ENCODED_ASCII": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_HEXADECIMAL": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_LETTER_AND_NUMBER": (at_start, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_MAIL": (anywhere, SHORT),
    "arc_plugins.output_guards.leak_detection.urls:_PLAIN_VALUE": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.urls:_is_layout": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_PORT": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_RUN": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_SCHEME": (at_start, APART),
    "arc_plugins.output_guards.leak_detection.urls:_STRIPPED": (anywhere, ONE),
    "arc_plugins.output_guards.leak_detection.urls:_VALUES": (anywhere, ONE),
    "arc_plugins.hooks.audit_log.chain.file:_make_chain_name": (anywhere, ONE),
    "arc_plugins.hooks.audit_log.chain.file:_read_beginning": (anywhere, SHORT),
    "arc_plugins.hooks.audit_log.chain.lines:_NAME": (at_start, SHORT),
    "arc_plugins.output_guards.leak_detection.urls:_is_long": (anywhere, ONE),
    "arc_plugins.selectors.keyword:_UNSPACED": (anywhere, ONE),
    "arc_plugins.selectors.keyword:_WORD": (anywhere, ONE),
    "arc_plugins.tools.calculate.tool:_CALL": (anywhere, WORDS),
    "arc_plugins.tools.calculate.tool:_TOKEN": (anywhere, APART),
    "arc_plugins.tools.calculate.tool:_TOKEN_OR_GROUPS": (anywhere, APART),
    "arc_plugins.tools.mcp.settings:_CREDENTIAL": (anywhere, POSSESSIVE),
    "arc_plugins.tools.mcp.tool:_ACCEPTED": (at_start, SHORT),
    "arc_plugins.tools.mcp.tool:_NOT_IN_A_NAME": (anywhere, ONE),
}


def hostile_texts() -> Iterator[str]:
    for unit in _UNITS:
        yield unit * (_LENGTH // len(unit)) + "\0"
    for start in _STARTS:
        for unit in _AFTER_A_START:
            yield start + unit * (_LENGTH // len(unit)) + "!"


TEXTS = tuple(hostile_texts())


@pytest.mark.slow
def test_every_pattern_is_listed() -> None:
    """A new one is listed above, with how it is used and what bounds its time."""
    assert places() == set(BOUNDS)


@pytest.mark.parametrize("place", sorted(BOUNDS))
def test_hostile_texts_take_linear_time(place: str) -> None:
    """Whatever thousands of characters repeat, no pattern tries their parts again and again."""
    use, _ = BOUNDS[place]
    for pattern in patterns_at(place):
        for text in TEXTS:
            began = time.thread_time()
            use(pattern, text)
            assert time.thread_time() - began < _LIMIT_S, (pattern.pattern, text[:20])


def test_a_pattern_in_a_function_is_found() -> None:
    """Wherever it stands, under the name of what it stands in."""
    source = (
        "import re\nA = re.compile('a')\nclass B:\n    def c(self):\n        re.sub('a', 'b', '')\n"
    )

    assert list(places_in(source)) == ["A", "c"]
