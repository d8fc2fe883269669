"""Words as they are compared: without case, endings, particles, and what says nothing."""

import re

__all__ = ["content_words", "has_hangul", "korean_nouns", "phrases_without", "words_of"]

_STEM_CHARS = 7
_CAMEL_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"[^\W\d_][\w'&-]*|[^\w\s]|\d+")
_HANGUL = re.compile(r"[가-힣]+")

_EMPTY = """
    a about all also am an and any are as at be but by call can could current currently do does
    execute fetch find for from get give given gives has have hello her hi him his how i if in into
    is it its just let list make many may me more much my need no not now of off on one or our
    out please provide retrieve return run s set should show some such t tell than thank that the
    their them then there these they this those to too tool up us use user using value want was we
    were what when where which who whose why will with would you your
"""
_EMPTY_WORDS = frozenset(_EMPTY.split())
_EMPTY_KOREAN_STARTS = (
    *(
        "지금",
        "현재",
        "얼마",
        "알려",
        "말해",
        "계산",
        "해줘",
        "해주",
        "그리고",
        "무엇",
        "뭐",
        "무슨",
    ),
    *(
        "어때",
        "어떻",
        "어떤",
        "부탁",
        "주세요",
        "이고",
        "이며",
        "인가",
        "인지",
        "입니",
        "이야",
        "나요",
    ),
    *("되나", "가르쳐", "보여", "찾아", "안녕", "좀", "것", "수는", "값", "결과", "그럼", "그러면"),
)
_PARTICLES = ("에서는", "에서", "에는", "에게", "까지", "부터", "하고", "의", "에")
_PARTICLES_AFTER_CONSONANT = ("은", "을", "이랑", "과", "으로", "이")
_PARTICLES_AFTER_VOWEL = ("는", "를", "랑", "와", "가")

_CONCEPTS = [
    (re.compile(pattern, re.IGNORECASE), frozenset(words.split()))
    for pattern, words in (
        (r"몇\s?시|시각|시간|o'clock", "time"),
        (r"오늘|날짜|며칠|요일|\btoday\b|\bwhat day\b", "time date today"),
        (r"날씨|기온|온도|\btemperature\b|\bforecast\b", "weather"),
        (r"환율|환전", "exchange currency"),
        (r"번역", "translate"),
        (r"검색", "search"),
        (r"뉴스", "news"),
        (r"이메일|메일", "email"),
        (r"일정", "calendar schedule"),
        (r"주가|주식", "stock"),
        (r"거리", "distance"),
        (r"파일", "file"),
        (r"문서", "document"),
        (r"주문", "order"),
    )
]


def words_of(text: str) -> frozenset[str]:
    """The stems of the words of a text; `getWeather_forecasts` has `weather` and `forecas`."""
    words = {word.lower() for word in _WORD.findall(_CAMEL_JOINT.sub(" ", text))}
    return frozenset(map(_stem, words - _EMPTY_WORDS)) | frozenset(korean_nouns(text))


def content_words(text: str) -> frozenset[str]:
    """The words of a question, and English ones for what Korean says, as tools are described."""
    words = words_of(text)
    return words.union(*(map(_stem, more) for pattern, more in _CONCEPTS if pattern.search(text)))


def korean_nouns(text: str) -> tuple[str, ...]:
    """The nouns among a text's Korean words, as far as their particles give them away."""
    for pattern, _ in _CONCEPTS:
        text = pattern.sub(" ", text)
    words = [word for word in _HANGUL.findall(text) if not word.startswith(_EMPTY_KOREAN_STARTS)]
    nouns = dict.fromkeys(map(_without_particle, words))
    return tuple(noun for noun in nouns if len(noun) > 1)


def phrases_without(text: str, words: frozenset[str]) -> tuple[str, ...]:
    """What is left of a text between empty words, given words, numbers and punctuation."""
    phrases: list[list[str]] = [[]]
    for part in _PART.findall(text):
        if words_of(part) - words:
            phrases[-1].append(part)
        elif phrases[-1]:
            phrases.append([])
    return tuple(" ".join(phrase) for phrase in phrases if phrase)


def has_hangul(text: str) -> bool:
    """Whether a text is to be answered in Korean."""
    return _HANGUL.search(text) is not None


def _stem(word: str) -> str:
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return (word[:-1] if is_plural else word)[:_STEM_CHARS]


def _without_particle(word: str) -> str:
    noun = next((word.removesuffix(end) for end in _PARTICLES if word.endswith(end)), word)
    if noun != word:
        return noun
    ends = ((True, _PARTICLES_AFTER_CONSONANT), (False, _PARTICLES_AFTER_VOWEL))
    for after_consonant, particles in ends:
        for particle in particles:
            noun = word.removesuffix(particle)
            if noun not in {"", word} and _ends_in_consonant(noun) is after_consonant:
                return noun
    return word


def _ends_in_consonant(word: str) -> bool:
    return (ord(word[-1]) - ord("가")) % 28 != 0
