"""Addresses that other servers name are encrypted, and lead out of the own network."""

import pytest

from arc_core import AddressRules
from arc_core.text.address_rules import AddressRefusedError


@pytest.mark.parametrize(
    "address",
    [
        "http://login.example/token",
        "http://127.0.0.1/token",
        "https://10.1.2.3/token",
        "https://127.0.0.1/token",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/token",
        "https://[fe80::1]/token",
        "https://[::ffff:10.0.0.1]/token",
        "https://[64:ff9b::a00:1]/token",
        "https://[2002:a00:1::]/token",
        "https://0.0.0.0/token",
        "https://224.0.0.1/token",
        "https://user@login.example/token",
        "https://login.example/token#end",
        "ftp://login.example/token",
        "javascript:alert(1)",
        "https://login.example/" + "a" * 2_000,
    ],
)
def test_an_address_is_refused(address: str) -> None:
    """Unencrypted, private, of this machine, of a link, or none."""
    with pytest.raises(AddressRefusedError) as refused:
        AddressRules().check(address)

    assert address not in str(refused.value)


def test_what_the_settings_name_may_be_private() -> None:
    """That host and port alone, and only encrypted."""
    rules = AddressRules(trusted=frozenset({"https://10.1.2.3"}))

    assert rules.check("https://10.1.2.3/register")
    for other in ("https://10.1.2.3:8443/", "https://10.1.2.4/", "http://10.1.2.3/"):
        with pytest.raises(AddressRefusedError):
            rules.check(other)


def test_a_local_server_may_name_local_addresses() -> None:
    """And no others of http."""
    rules = AddressRules(allows_loopback=True)

    assert rules.check("http://localhost:9000/token")
    assert rules.check("http://[::1]:9000/token")
    for other in ("http://10.0.0.1/", "https://192.168.0.1/", "http://login.example/"):
        with pytest.raises(AddressRefusedError):
            rules.check(other)


def test_a_name_is_refused_if_one_of_its_addresses_is() -> None:
    """Else a connection that fails would lead to the private one."""
    with pytest.raises(AddressRefusedError):
        AddressRules().check_ips("login.example", 443, ["93.184.215.14", "10.0.0.1"])
