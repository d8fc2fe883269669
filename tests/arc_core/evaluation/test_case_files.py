"""Files of cases, and what is wrong in them, with its place."""

from pathlib import Path

import pytest

from arc_core import AssistantMessage, ConfigurationError, UserMessage
from arc_core.evaluation.case_files import read_case_set, read_case_sets

SINGLE = """
prompt = "Where is my order 7?"
agent = "support"
required = 0.8

[expect]
contains = "on its way"
tools.called = ["find_order"]
tools.never = "refund"
max_cost = 0.05
"""

SEVERAL = """
judge = "together"
required = 0.7
agent = "support"

[[cases]]
prompt = "Where is it?"

[[cases]]
name = "history"
messages = [
  { role = "user", content = "Hi" },
  { role = "assistant", content = "Hello" },
  { role = "user", content = "Where is it?" },
]
"""


def write(folder: Path, name: str, text: str) -> Path:
    """A file in a folder."""
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_a_file_of_one_case(tmp_path: Path) -> None:
    """It is called as the file, and has its keys at the top."""
    [case] = read_case_set(write(tmp_path, "order.toml", SINGLE)).cases

    assert (case.name, case.required, case.agent) == ("order", 0.8, "support")
    assert case.expect.contains == ("on its way",)
    assert case.expect.tools.never == ("refund",)
    assert str(case.expect.max_cost) == "0.05"
    assert case.command.user_prompt == "Where is my order 7?"


def test_a_file_of_several_cases(tmp_path: Path) -> None:
    """What stands at the top holds for each; a conversation ends with the question."""
    found = read_case_set(write(tmp_path, "orders.toml", SEVERAL))

    assert [each.name for each in found.cases] == ["orders-1", "history"]
    assert {(each.agent, each.required) for each in found.cases} == {("support", 0.7)}
    command = found.cases[1].command
    assert command.user_prompt == "Where is it?"
    assert command.conversation_history == (UserMessage("Hi"), AssistantMessage("Hello"))


def test_a_folder_is_all_its_files(tmp_path: Path) -> None:
    """Of TOML and JSON, by name."""
    write(tmp_path, "b.toml", SINGLE)
    write(tmp_path, "a.json", '{"prompt": "Hi"}')
    write(tmp_path, "notes.md", "# Notes")

    assert [each.name for each in read_case_sets([tmp_path])] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "text", "problems"),
    [
        ("a.toml", 'prompt = "Hi"\nexpect = \n', ["is not TOML", "line 2, column 10"]),
        ("a.json", '{"prompt": }', ["is not JSON", "line 1 column 12"]),
        ("a.json", "[]", ["it is not an object"]),
        ("a.toml", 'promt = "Hi"\ncases = []', ["no key promt", "write prompt"]),
        (
            "a.toml",
            'prompt = "x"\nexpect.contain = "x"',
            ["no key expect.contain", "write contains"],
        ),
        ("a.toml", SEVERAL + "\n[cases.expect.tools]\nnevr = 'x'", ["cases[2].expect.tools.nevr"]),
        ("a.toml", 'prompt = "x"\nrequired = 1.0', ["required is wrong", "less than 1"]),
        ("a.toml", 'prompt = "x"\nexpect.result = "SUCESS"', ["expect.result"]),
        ("a.toml", 'agent = "x"', ["cases is wrong"]),
        ("a.toml", 'prompt = "x"\nmessages = [{role="user", content="x"}]', ["either prompt or"]),
        ("a.toml", "cases = []", ["cases is wrong"]),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    name: str, text: str, problems: list[str], tmp_path: Path
) -> None:
    """The file, the key, and the nearest one that there is."""
    file = write(tmp_path, name, text)

    with pytest.raises(ConfigurationError) as caught:
        read_case_set(file)

    assert str(file) in str(caught.value)
    assert [each for each in problems if each not in str(caught.value)] == []


def test_a_place_without_cases_is_told(tmp_path: Path) -> None:
    """A folder that is empty, a file that is not there, and one that is not a text."""
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")

    for place, problem in [
        (tmp_path / "gone.toml", "cannot be read"),
        (tmp_path / "binary.toml", "not a text in UTF-8"),
    ]:
        with pytest.raises(ConfigurationError, match=problem):
            read_case_sets([place])
    (tmp_path / "binary.toml").unlink()
    with pytest.raises(ConfigurationError, match="has no cases"):
        read_case_sets([tmp_path])
