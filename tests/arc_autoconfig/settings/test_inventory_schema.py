"""The JSON Schema of the settings."""

import tomllib
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arc_autoconfig import ArcSettings
from arc_autoconfig.settings.inventory import settings_schema
from tests.arc_autoconfig.installed import PackageIndex

GOOD = """
#:schema ./arc.schema.json
max-tool-calls = 5
max_tools_per_request = "${TOOLS:-7}"

[llm]
provider = "openai"
max-output-tokens = 100
temperature = "${TEMPERATURE}"

[guard]
rate_limit_per_minute = "${LIMIT}"
injection-mode = "monitor"

[cache]
enabled = true
redis-url = "redis://:${PASSWORD}@cache"

[mcp.servers.files]
command = "npx"
args = ["${PACKAGE}"]

[plugins]
disabled = "${DISABLED}"
settings.acme = { max-hits = 3 }

[components]
chat-model = "quick"
exclude = ["guards:input_validation"]

[profiles.prod.llm]
model = "large"
"""


def _errors(text: str) -> list[str]:
    schema = settings_schema(ArcSettings.complete())
    found = Draft202012Validator(schema).iter_errors(tomllib.loads(text))
    return [".".join(map(str, each.absolute_path)) for each in found]


def test_the_schema_is_one() -> None:
    """By the rules of its own draft."""
    Draft202012Validator.check_schema(settings_schema(ArcSettings.complete()))


def test_a_real_file_fits() -> None:
    """With hyphens, references in the place of numbers and lists, plugins' tables, profiles."""
    assert _errors(GOOD) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("max-tool-calls = -1", "max-tool-calls"),
        ('max-tool-calls = "many"', "max-tool-calls"),
        ("[llm]\nmodle = 'm'", "llm"),
        ('[cache]\nscope = "planet"', "cache"),
        ("[profiles.prod.llm]\nmodle = 'm'", "profiles.prod"),
        ("[components]\nexclude = 3", "components"),
    ],
)
def test_mistakes_are_found(*, text: str, place: str) -> None:
    """At the key, or at the section that holds it."""
    (found,) = _errors(text)

    assert found.startswith(place)


def test_sections_of_packages_are_in_it(packages: PackageIndex) -> None:
    """As Arc's own are, whatever types they have."""
    section = """
        from arc_core.settings import Section

        class Size: ...

        class AcmeSettings(Section):
            model_config = {"arbitrary_types_allowed": True}
            max_hits: int = 3
            size: Size | None = None
    """
    packages.install(
        "acme-arc", modules={"acme": section}, arc__settings={"acme": "acme:AcmeSettings"}
    )

    assert _errors("[acme]\nmax-hits = 3\nsize = 3") == []
    assert _errors('[acme]\nmax-hits = "many"') != []


def test_secrets_have_no_defaults() -> None:
    """A mask would be offered as a value."""
    schema: Any = settings_schema(ArcSettings.complete())

    assert "**" not in str(schema)
