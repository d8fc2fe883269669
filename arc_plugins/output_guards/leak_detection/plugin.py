"""Registers the guards that look for leaks in what a model says, as the settings ask for them."""

from importlib.util import find_spec

from arc_core import ConfigurationError, OutputGuard, Registry, TextMask, hookimpl
from arc_core.conditions import on_setting
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings

_HERE = "arc_plugins.output_guards.leak_detection"


@hookimpl
def arc_register(registry: Registry) -> None:
    """Each guard by its own setting, all off by default; the masks of files always."""
    for name, guard, setting in (
        ("secret_leaks", f"{_HERE}.secrets:SecretLeakOutputGuard", "output.secrets"),
        ("pii_masking", pii_masking_output_guard, "output.pii"),
        ("links", f"{_HERE}.links:LinkOutputGuard", "output.links"),
    ):
        is_on = on_setting(setting, LeakMode.MASK, LeakMode.REJECT)
        registry.contribute(OutputGuard, guard, name=name, condition=is_on)
    registry.contribute(TextMask, f"{_HERE}.text_masks:SecretTextMask", name="secrets")
    registry.contribute(TextMask, f"{_HERE}.text_masks:PersonalDataTextMask", name="personal_data")


def pii_masking_output_guard(settings: OutputSettings) -> OutputGuard:
    """A guard that knows personal data.

    A missing package is an error here and no condition: a guard must not vanish quietly.

    Raises:
        ConfigurationError: The extra is not installed.
    """
    missing = [name for name in ("phonenumbers", "stdnum") if find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            "output.pii is set, and personal data cannot be told from other numbers here",
            evidence=[f"the package {name} is not installed" for name in missing],
            remedy='pip install "arc-agents[guards]", or set output.pii to "off"',
        )
    from arc_plugins.output_guards.leak_detection.personal_data import PiiMaskingOutputGuard

    return PiiMaskingOutputGuard(settings=settings)
