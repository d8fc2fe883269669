"""`arc plugins`."""

import json

from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex


def test_people_read_a_table() -> None:
    """Name, package and state of each plugin."""
    result = invoke("plugins")

    assert result.exit_code == 0
    assert "input_validation" in result.stdout
    assert "loaded" in result.stdout


def test_a_broken_plugin_says_what_is_wrong(packages: PackageIndex) -> None:
    """Whose it is and the cause, for people and programs; the command works."""
    packages.install("acme-arc", modules={"acme": "1 / 0"}, arc={"acme": "acme"})

    rows = json.loads(invoke("plugins", "--json").stdout)
    table = invoke("plugins").stdout

    acme = next(row for row in rows if row["name"] == "acme")
    assert (acme["distribution"], acme["state"]) == ("acme-arc", "quarantined")
    assert "ZeroDivisionError" in acme["cause"]
    assert "quarantined: ZeroDivisionError" in table


def test_a_broken_guard_is_not_said_to_be_loaded(packages: PackageIndex) -> None:
    """Nothing starts without it, and the table says which plugin it is."""
    packages.install("acme-arc", arc__guards={"pii": "nowhere_to_be_found:Pii"})

    result = invoke("plugins", "--json")

    row = next(row for row in json.loads(result.stdout) if row["name"] == "pii")
    assert result.exit_code == 2
    assert row["state"] == "quarantined"
    assert "nowhere_to_be_found" in row["cause"]


def test_a_guard_that_cannot_be_built_is_not_said_to_be_loaded(packages: PackageIndex) -> None:
    """Its constructor raises, so nothing starts with it; the other plugins are as they were."""
    source = """
    from arc_core import Guard

    class Pii(Guard):
        order = 100

        def __init__(self):
            raise ValueError("no licence")

        async def check(self, request): ...
    """
    packages.install("acme-arc", modules={"acme": source}, arc__guards={"pii": "acme:Pii"})

    rows = {row["name"]: row for row in json.loads(invoke("plugins", "--json").stdout)}

    assert rows["pii"]["state"] == "broken"
    assert "ValueError: no licence" in rows["pii"]["cause"]
    assert rows["input_validation"]["state"] == "loaded"


def test_a_plugin_can_be_left_out(packages: PackageIndex) -> None:
    """It is blocked before it is imported."""
    packages.install("acme-arc", modules={"acme": "1 / 0"}, arc={"acme": "acme"})

    rows = json.loads(invoke("--no-plugin", "acme", "plugins", "--json").stdout)

    assert next(row for row in rows if row["name"] == "acme")["state"] == "disabled"
