"""Layers of settings, each covering those before it."""

from arc_autoconfig.settings.inputs.layers import Layer, find_origins, merge


def _layer(name: str, **values: object) -> Layer:
    return Layer(values, lambda key: f"{name}: {key}")


LOW = _layer("low", llm={"model": "a", "temperature": 1}, plugins={"load": ["x"]})
HIGH = _layer("high", llm={"model": "b"}, plugins={"load": []})


def test_the_last_layer_covers_key_by_key() -> None:
    """Tables are merged, lists are replaced."""
    assert merge([LOW, HIGH]) == {"llm": {"model": "b", "temperature": 1}, "plugins": {"load": []}}


def test_the_layers_stay_as_they_are() -> None:
    """Merging changes nothing in what was read."""
    merge([LOW, HIGH])

    assert LOW.values["llm"] == {"model": "a", "temperature": 1}


def test_a_key_has_the_place_of_the_last_layer_that_has_it() -> None:
    """Sections too; a key that no layer has comes from nowhere."""
    assert find_origins([LOW, HIGH]) == {
        "llm": "high: llm",
        "llm.model": "high: llm.model",
        "llm.temperature": "low: llm.temperature",
        "plugins": "high: plugins",
        "plugins.load": "high: plugins.load",
    }
