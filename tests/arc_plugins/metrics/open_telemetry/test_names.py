"""Names are those of the conventions."""

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as conventions

from arc_core.settings import LlmSettings
from arc_plugins.metrics.open_telemetry import names


def test_attributes_are_those_of_the_conventions() -> None:
    """The package with the constants still has them all."""
    known = {value for name, value in vars(conventions).items() if name.startswith("GEN_AI_")}
    ours = {
        value
        for value in vars(names).values()
        if isinstance(value, str) and value.startswith("gen_ai.")
    }

    assert len(ours) == 19
    assert ours <= known


def test_a_vendor_that_is_not_named_is_another() -> None:
    """The conventions demand a name, and the settings need not have one."""
    assert names.get_provider(LlmSettings(provider="openai")) == "openai"
    assert names.get_provider(LlmSettings()) == "_OTHER"
