"""What can be read off a prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_autoconfig import Application, ArcSettings
from arc_plugins.models.offline.question import Question, stem_words

NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("How is the weather in Seoul?", ["Seoul"]),
        ("Compare New York with Rio de Janeiro", ["Compare New York", "Rio de Janeiro"]),
        ("What's John's age?", ["John"]),
        ("Seoul, Busan and Seoul", ["Seoul", "Busan"]),
        ("서울과 도쿄는 몇 시야?", ["서울", "도쿄"]),
        ("time in new york please", []),
        ("서울 시간과 3 곱하기 4", ["서울"]),
        ("is anybody there?", []),
    ],
)
def test_names(prompt: str, names: list[str]) -> None:
    """Capitalised words and Korean nouns, each once."""
    assert Question(prompt).found["name"] == names


def test_places_are_what_the_question_is_in() -> None:
    """A name behind `in` or `at` is a place; others are not, if there is one."""
    assert Question("Ann asks: how late in Seoul, and Busan?").found["place"] == ["Seoul", "Busan"]


@pytest.mark.parametrize(
    ("prompt", "numbers"),
    [
        ("between 3.5 and 1,200", [3.5, 1200]),
        ("-4 degrees", [-4]),
        ("COVID-19 in v2", []),
        ("9" * 19, []),
    ],
)
def test_numbers(prompt: str, numbers: list[str]) -> None:
    """Numbers that stand alone, without grouping commas, of a size that JSON can carry."""
    assert Question(prompt).found["number"] == numbers


@pytest.mark.parametrize(
    "prompt", ['say "good day"', "say 'good day'", "say “good day”", "「good day」"]
)
def test_quoted(prompt: str) -> None:
    """Quotation marks of several languages, and no apostrophes; else all is the text."""
    assert Question(f"It's Ann's turn: {prompt}").text == "good day"
    assert Question("It's Ann's turn").text == "It's Ann's turn"


def test_quoted_words_are_not_names() -> None:
    """What the model is to say is not what the question is about."""
    assert Question("tell 'Seoul' to Ann").found["name"] == ["Ann"]


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """Nothing that people send breaks the reading, and it is the same each time."""
    first, second = Question(text), Question(text)

    assert (first.words, first.found) == (second.words, second.found)


@pytest.mark.parametrize(
    ("prompt", "places"),
    [
        (f"What time is it in '{NEW_YORK}'?", [NEW_YORK]),
        (f'What time is it in "{NEW_YORK}"?', [NEW_YORK]),
        (f"What time is it in {NEW_YORK}?", [NEW_YORK]),
        ("What time is it in america/new_york?", ["america/new_york"]),
        (f"{NEW_YORK} time please", [NEW_YORK]),
        ("What time is it in Asia/Seoul and Europe/Berlin?", ["Asia/Seoul", "Europe/Berlin"]),
        ("What time is it in America/Port-au-Prince?", ["America/Port-au-Prince"]),
        ("What time is it in Etc/GMT+5?", ["Etc/GMT+5"]),
        ("'Asia/Seoul'의 시간은?", ["Asia/Seoul"]),
        ("Asia/Seoul은 지금 몇 시야?", ["Asia/Seoul"]),
    ],
)
def test_time_zones_are_names(prompt: str, places: list[str]) -> None:
    """In quotation marks or without, in any case, and before Korean particles."""
    assert Question(prompt).found["place"] == places


@pytest.mark.parametrize(
    ("prompt", "places"),
    [
        ("What time is it in 'Boston'?", ["Boston"]),
        ('What time is it in "new york"?', ["new york"]),
        ("What time is it in 'Atlantis'?", ["Atlantis"]),
        ("What time is it in San Francisco and 'Tokyo'?", ["San Francisco", "Tokyo"]),
        ('"뉴욕"은 지금 몇 시야?', ["뉴욕"]),
        ('Say "hello" to Bob', ["Say", "Bob"]),
        ("What is the meaning of 'a' and 'b'?", ["a", "b"]),
    ],
)
def test_quoted_places_are_names(prompt: str, places: list[str]) -> None:
    """When the words around say that it is a place; any other quotation is not one."""
    assert Question(prompt).found["place"] == places


@pytest.mark.parametrize(
    ("prompt", "places"),
    [
        ("what time is it in boston?", ["boston"]),
        ("what time is it in são paulo please", ["são paulo"]),
        ("what time is it in atlantis", ["atlantis"]),
        ("what time is it in boston and london?", ["boston", "london"]),
        ("what time is it in seoul, tokyo and atlantis?", ["seoul", "tokyo", "atlantis"]),
        ("what time is it in new york city right now", ["new york"]),
        ("what time is it in boston and london please", ["boston", "london"]),
        ("what time is it in boston and send an email to bob", ["boston"]),
        ("what time is it for bob in london", ["london"]),
        ("what is the time in detail", []),
        ("what is the time in 10 minutes", []),
        ("what time is it in the morning and evening?", []),
        ("what time is it in boston and what is 2 + 2?", ["boston"]),
    ],
)
def test_places_without_capitals_are_names(prompt: str, places: list[str]) -> None:
    """Known or not: a place that is left out would be answered for another one."""
    assert Question(prompt).found["place"] == places


@pytest.mark.parametrize(
    ("prompt", "places"),
    [
        ("What time is it in St. Petersburg?", ["St. Petersburg"]),
        ("How is the weather in Côte d'Ivoire?", ["Côte d'Ivoire"]),
    ],
)
def test_names_may_hold_short_words(prompt: str, places: list[str]) -> None:
    """A part of a name is another place."""
    assert Question(prompt).found["place"] == places


def test_a_question_is_located() -> None:
    """By what follows in, at or near, quotation marks included."""
    assert Question("Bob in 'Asia/Seoul' and Busan?").found["place"] == ["Asia/Seoul", "Busan"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (f"What time is it in '{NEW_YORK}'?", f"({NEW_YORK}, UTC-0"),
        ('What time is it in "asia/tokyo"?', "(Asia/Tokyo, UTC+09:00)"),
        ("what time is it in boston", f"({NEW_YORK}, UTC-0"),
        ("What time is it in 'Europe/Atlantis'?", "unknown place 'Europe/Atlantis'"),
        ("what time is it in atlantis?", "unknown place 'atlantis'"),
    ],
)
async def test_a_clock_of_another_place_is_never_shown(question: str, said: str) -> None:
    """The answer is for the zone or city that was asked for, or says that it is unknown."""
    settings = ArcSettings(llm={"provider": "offline"}, tools={"builtin": ["current_time"]})

    async with Application(settings) as app:
        result = await app.execute(question)

    assert said in str(result.content)
    assert "UTC+00:00" not in str(result.content)


@pytest.mark.parametrize(
    ("prompt", "expressions"),
    [
        ("What time is it in Seoul, and what is 12.5% of 2480?", ["12.5% of 2480"]),
        ("12.5 percent of 2,480", ["12.5% of 2,480"]),
        ("What is 3 plus 4, and 7 times 8?", ["3 + 4", "7 * 8"]),
        ("10 divided by 4 minus 1", ["10 / 4 - 1"]),
        ("2 to the power of 10", ["2 ** 10"]),
        ("(3 + 4) * 2 = ?", ["(3 + 4) * 2"]),
        ("it (2 + 3 is what)", ["2 + 3"]),
        ("5 x 6", ["5*6"]),
        ("2480의 12.5%는 얼마야?", ["12.5% of 2480"]),
        ("3 더하기 4 곱하기 5", ["3 + 4 * 5"]),
    ],
)
def test_expressions_are_found(prompt: str, expressions: list[str]) -> None:
    """Signs and words for them, in English and Korean."""
    assert Question(prompt).found["expression"] == expressions


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "I have 3 cats",
        "50% off",
        "-5 degrees",
        "on 2024-05-01 at 10:30",
        "GPT-4 and COVID-19",
        "version 1.2.3.4",
        "2 of 3 people",
    ],
)
def test_numbers_alone_are_not_arithmetic(prompt: str) -> None:
    """Dates, times, names with numbers and lone numbers are left alone."""
    assert Question(prompt).found["expression"] == []


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    """Whatever is found has a digit in it."""
    assert all(
        any(map(str.isdigit, expression)) for expression in Question(text).found["expression"]
    )


@pytest.mark.slow
@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "part",
    [
        *(
            "1",
            "(",
            "1 ",
            "1+",
            "1(",
            "1%",
            "a",
            " ",
            "1,111",
            "max(",
            "1)",
            "A ",
            "A.",
            "'a ",
            '"a',
        ),
        *(
            "가",
            "A of ",
            "aA",
            "in ",
            "in a ",
            "in a, ",
            "in A, ",
            "In A, ",
            "in A and ",
            "in 'A', ",
        ),
        *("A/", "a/", "for a b ", "'a/b' "),
    ],
)
def test_a_hostile_prompt_takes_no_longer(part: str) -> None:
    """Time grows with the length only."""
    Question(part * 50_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["in ", "in a, ", "A/", "a/", "in 'A', ", '"', "in A and ", "in A, ", "for a b "]
)
def test_hostile_prompts_give_few_names(part: str) -> None:
    """Whatever is repeated, reading ends with each name once."""
    assert len(Question(part * 3000).found["place"]) <= 1


@pytest.mark.parametrize("name", ["get_weather", "getWeather", "get-weathers", "Weather for the"])
def test_a_name_in_any_style_has_the_same_words(name: str) -> None:
    """Snake case, camel case, dashes and plurals are one; `get` says nothing."""
    assert stem_words(name) == {"weather"}


@pytest.mark.parametrize(
    ("word", "noun"),
    [
        ("서울은", "서울"),
        ("서울에서", "서울"),
        ("도쿄는", "도쿄"),
        ("도쿄와", "도쿄"),
        ("부산의", "부산"),
        ("런던으로", "런던"),
        ("타이베이", "타이베이"),
        ("하노이", "하노이"),
    ],
)
def test_korean_particles_are_taken_off(word: str, noun: str) -> None:
    """But for those that names often end with, so that these names stay whole."""
    assert Question(word).found["name"] == [noun]


def test_korean_words_that_say_nothing_are_left_out() -> None:
    """What is left of a question is what it is about."""
    assert Question("서울과 도쿄는 지금 몇 시인지 알려줘").found["name"] == ["서울", "도쿄"]


@pytest.mark.parametrize(
    ("question", "concept"),
    [
        ("서울은 몇 시야?", "time"),
        ("날씨 어때?", "weather"),
        ("What day is it today?", "date"),
        ("Is rain in the forecast?", "weather"),
    ],
)
def test_concepts_have_the_words_that_tools_use(question: str, concept: str) -> None:
    """Tools are described in English, questions are asked otherwise."""
    assert concept in Question(question).words
