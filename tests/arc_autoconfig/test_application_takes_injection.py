"""Components of other packages whose parameters are filled as those of tools are."""

from collections.abc import Collection, Mapping
from typing import Any, Self

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ComponentError, InjectionError
from arc_core import Inject, RunContext, service
from tests.arc_autoconfig.installed import PackageIndex

DETECTORS = """
    from typing import Protocol, runtime_checkable
    from arc_core import contribution

    @contribution("detectors", group="acme.detectors")
    @runtime_checkable
    class Detector(Protocol):
        def detect(self, text: str) -> object: ...
"""


@service
class Words:
    """Something of the application."""


class Detector:
    """Takes part in injection with what it is said to ask for."""

    def __init__(self, **injected: Any) -> None:
        self.injected: Mapping[str, Any] = injected
        self.values: Mapping[str, object] = {}
        self.per_call: Collection[str] = ()

    def detect(self, text: str) -> object:
        return self.values

    def has_default(self, parameter: str) -> bool:
        return False

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        filled = type(self)(**self.injected)
        filled.values, filled.per_call = values, per_call
        return filled


class BrokenDetector(Detector):
    """Cannot be filled."""

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        raise ValueError("no place for words")


DETECTOR = Detector(words=Inject[Words], run=Inject[RunContext])


def application(packages: PackageIndex, detector: Detector | None = None) -> Application:
    """One with an interface of a package, for which another package brings `DETECTOR`."""
    interfaces = {"detectors": "acme_detectors:Detector"}
    packages.install("acme", modules={"acme_detectors": DETECTORS}, arc__interfaces=interfaces)
    packages.install("zeta", acme__detectors={"zeta": f"{__name__}:DETECTOR"})
    app = Application(ArcSettings(_isolated=True), register=[Words])
    if detector is not None:
        app.container.detectors.override([detector])
    return app


async def test_a_component_of_another_package_is_filled(packages: PackageIndex) -> None:
    """It gets components of the application once, and is told what it gets from each run."""
    app = application(packages)

    async with app:
        [filled] = app.container.detectors()

        assert filled.values == {"words": app.container.of(Words)()}
        assert filled.per_call == {"run"}
    assert DETECTOR.values == {}


async def test_an_unknown_type_is_an_error_with_the_name_of_the_component(
    packages: PackageIndex,
) -> None:
    """As it is for the parameter of a tool."""
    app = application(packages, Detector(words=Inject[complex]))

    with pytest.raises(InjectionError, match="detectors: Detector, parameter 'words'"):
        await app.__aenter__()


async def test_a_component_that_cannot_be_filled_is_named(packages: PackageIndex) -> None:
    """What it raises does not stop the application without a word of whose it is."""
    app = application(packages, BrokenDetector(words=Inject[Words]))

    with pytest.raises(ComponentError, match=r"detectors: BrokenDetector .* cannot be built"):
        await app.__aenter__()
