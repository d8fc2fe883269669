"""Rules for addresses that other servers name: encrypted, and not within the own network."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from arc_core.text.addresses import check_http_address

_PORTS = {"http": 80, "https": 443}
_EMBEDS_IPV4 = ip_network("64:ff9b::/96")
_MAX_CHARS = 2_000


class AddressRefusedError(Exception):
    """An address must not be asked; the text says why, and repeats nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRules:
    """The addresses that may be asked for something that a server has named.

    All are of https, or on loopback of http if `allows_loopback`. Those of private and link-local
    networks are refused, also if a name leads there.

    Attributes:
        trusted: Origins that the settings name, such as `https://mcp.internal`, which may be in a
            private network.
        allows_loopback: Whether addresses of this machine may be asked.
    """

    trusted: frozenset[str] = frozenset()
    allows_loopback: bool = False

    def check(self, address: str) -> str:
        """Return the address, if it may be asked as far as it says itself.

        Raises:
            AddressRefusedError: It may not be.
        """
        parts = _split(address)
        host = parts.hostname or ""
        if parts.scheme != "https" and not (self.allows_loopback and is_loopback(host)):
            raise AddressRefusedError("it is not of https")
        literal = _read_ip(host)
        if literal is not None and not self._is_trusted(host, _port_of(parts)):
            self._check_ip(literal)
        return address

    def check_ips(self, host: str, port: int, found: list[str]) -> list[str]:
        """Return the addresses that a name leads to, of which a connection takes one.

        Raises:
            AddressRefusedError: One of them may not be asked, or there is none.
        """
        if not self._is_trusted(host, port):
            for each in found:
                ip = _read_ip(each)
                if ip is None:
                    raise AddressRefusedError("it leads to no address that can be read")
                self._check_ip(ip)
        if not found:
            raise AddressRefusedError("it leads nowhere")
        return found

    def _check_ip(self, ip: IPv4Address | IPv6Address) -> None:
        if ip.is_loopback and self.allows_loopback:
            return
        if not all(each.is_global and not each.is_multicast for each in _unfold(ip)):
            raise AddressRefusedError("it leads into a private network")

    def _is_trusted(self, host: str, port: int | None) -> bool:
        trusted = (urlsplit(each) for each in self.trusted)
        return (host.lower(), port) in {(each.hostname, _port_of(each)) for each in trusted}


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine: `localhost`, or an address of the loopback."""
    ip = _read_ip(host)
    return host.lower() == "localhost" if ip is None else ip.is_loopback


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(check_http_address(address))
    except ValueError:
        raise AddressRefusedError("it is not an address") from None
    if "@" in parts.netloc or parts.fragment or len(address) > _MAX_CHARS:
        raise AddressRefusedError("it has a user, a fragment, or too many characters")
    return parts


def _port_of(parts: SplitResult) -> int | None:
    return parts.port or _PORTS.get(parts.scheme)


def _read_ip(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def _unfold(ip: IPv4Address | IPv6Address) -> tuple[IPv4Address | IPv6Address, ...]:
    """The address, and those of the older protocol that stand within it."""
    if isinstance(ip, IPv4Address):
        return (ip,)
    within = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if ip in _EMBEDS_IPV4:
        within.append(IPv4Address(int(ip) & 0xFFFF_FFFF))
    inner = tuple(each for each in within if each is not None)
    return inner if ip.ipv4_mapped is not None else (ip, *inner)
