"""Personal data with a form do not leave, and other numbers do."""

from collections.abc import Sequence

from arc_core import OutputGuard
from arc_plugins.output_guards.leak_detection.personal_data import PiiMaskingOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings
from tests.arc_plugins.output_guards.leak_detection.leak_rules import LeakGuardRules

MASK = OutputSettings(pii=LeakMode.MASK)
LEAKS = (
    ("Ask bob.o'hara@corp.co.kr.", "Ask [email]."),
    ("메일은 bob@corp.io으로", "메일은 [email]으로"),
    ("Call 010-2345-6789 today", "Call [phone] today"),
    ("(02) 345-6789", "[phone]"),
    ("+82 10 2345 6789 2024", "[phone] 2024"),
    ("card: 4111-1111-1111-1111.", "card: [card]."),
    ("DE89 3704 0044 0532 0130 00 BIC", "[iban] BIC"),
    ("900101-1234567입니다", "[resident number]입니다"),
    ("ann@example.com and ann@mail.example.org", "[email] and [email]"),
    ("josé.garcía@correo.es, hans@müller-gmbh.de", "[email], [email]"),
    ("user@例え.jp", "[email]"),
    ("4111\u00a01111\u00a01111\u00a01111", "[card]"),
    ("４１１１１１１１１１１１１１１１ 4111.1111.1111.1111", "[card] [card]"),
    ("010\u20112345\u20116789 +49\u00a0151\u00a023456789", "[phone] [phone]"),
    ("0044 20 7946 0958, 1-415-555-2671", "[phone], [phone]"),
    ("+1 555 123 4567 (555) 123-4567", "[phone] [phone]"),
    ("900101 - 1234567", "[resident number]"),
    ("BE68 5390 0754 7034", "[iban]"),
)
HARMLESS = (
    "git clone git@github.com:org/repo.git",
    "@pytest.mark.slow",
    "icon@2x.png, lodash@4.17.21, getty@tty1.service",
    "https://user@host.io/path",
    "550e8400-e29b-41d4-a716-446655440000",
    "2024-01-15T10:30:22.123456Z 1705314622123",
    "Version 10.0.19041.1 on 192.168.100.200",
    "Order 4111 1111 1111 1112",
    "ISBN 978-3-16-148410-0",
    "| 120 | 1345 | 15678 | 17890 |",
    "991341-1234567",
    "3.14159265358979 and 1,234,567.89",
)


class TestConformance(LeakGuardRules):
    """What every output guard must do, and those against leaks."""

    masking, rejecting = MASK, OutputSettings(pii=LeakMode.REJECT)
    leaks, harmless = LEAKS, HARMLESS
    answers: Sequence[str] = (
        "Call 010-2345-6789.",
        "bob@corp.io, 4111 1111 1111 1111",
        "900101-1234567입니다",
    )

    def make_with(self, settings: OutputSettings) -> OutputGuard:
        """Return the guard with these settings."""
        return PiiMaskingOutputGuard(settings=settings)
