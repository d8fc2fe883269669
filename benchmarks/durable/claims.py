"""Claims about what was counted: a line each, and an exit code that is not 0 if one is broken."""

__all__ = ["Claims"]


class Claims:
    """Prints each claim beside what was found."""

    def __init__(self) -> None:
        self._broken: list[str] = []
        print("\nclaim | found | wanted | holds")

    def equal(self, claim: str, found: object, wanted: object) -> None:
        """Claim that a count is so."""
        self._print(claim, str(found), str(wanted), holds=found == wanted)

    def at_most(self, claim: str, found: float, limit: float) -> None:
        """Claim that a count or a time is not passed."""
        self._print(claim, f"{found:g}", f"≤ {limit:g}", holds=found <= limit)

    def at_least(self, claim: str, found: float, limit: float) -> None:
        """Claim that a count is reached."""
        self._print(claim, f"{found:g}", f"≥ {limit:g}", holds=found >= limit)

    def _print(self, claim: str, found: str, wanted: str, *, holds: bool) -> None:
        print(f"{claim} | {found} | {wanted} | {'yes' if holds else 'NO'}", flush=True)
        if not holds:
            self._broken.append(claim)

    def end(self) -> None:
        """End the program if a claim is broken.

        Raises:
            SystemExit: One is.
        """
        if self._broken:
            raise SystemExit(f"broken: {', '.join(self._broken)}")
