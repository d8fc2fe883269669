"""Keys, tokens and passwords do not leave, and what stands in tutorials does."""

from collections.abc import Sequence

import pytest

from arc_core import OutputGuard
from arc_plugins.output_guards.leak_detection.secrets import SecretLeakOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings
from tests.arc_plugins.output_guards.leak_detection.leak_rules import LeakGuardRules
from tests.arc_plugins.output_guards.streaming import cut, mask, stream

MASK = OutputSettings(secrets=LeakMode.MASK)
KEY = "sk" + "-proj-aB3dE6gH9jK2mN5pQ8sT1vW4"
VALUE = "aB3dE6gH9" + "jK2mN5pQ8sT1vW4"
BEGIN = "-----BEGIN " + "RSA PRIVATE KEY-----"
LEAKS: tuple[tuple[str, str], ...] = (
    (f"The key is {KEY}.", "The key is [secret]."),
    (f'{{"api_key": "{VALUE}", "a": 1}}', '{"api_key": "[secret]", "a": 1}'),
    (f"DB_PASSWORD={VALUE}\nDB_HOST=a", "DB_PASSWORD=[secret]\nDB_HOST=a"),
    ("DB_PASSWORD=Xk9#mQ2vT pwd: 'aB3dE5gH'", "DB_PASSWORD=[secret] pwd: '[secret]'"),
    ("api_key=1234567890abcdef", "api_key=[secret]"),
    (f"**TOKEN={VALUE}** and TOKEN={VALUE}.", "**TOKEN=[secret]** and TOKEN=[secret]."),
    (f"redis://app:{VALUE}@cache:6379/0", "redis://[secret]@cache:6379/0"),
    (f"{BEGIN}\n{'aB3d' * 16}\nand then", "[secret]\nand then"),
    (f"It is {KEY}{'-example' * 40}.", "It is [secret]."),  # no placeholder is as long
    (f"curl -H 'Authorization: Bearer {VALUE}' x", "curl -H 'Authorization: Bearer [secret]' x"),
)
TABLE = (
    "| user | password | since |\n|---|---|---|\n| ann | {} | 2024 |\n| bob | {} | 2025 |\nDone.\n"
)
LEAKS += (
    (TABLE.format("hunter2secret", "Xk9mQ2vTab"), TABLE.format("[secret]", "[secret]")),
    ("mail;db_password\na@b.io;hunter2secret\n", "mail;db_password\na@b.io;[secret]\n"),
    ("id\tapi key\n1\t`" + VALUE + "`", "id\tapi key\n1\t`[secret]`"),
    ("It is gh&shyp_" + VALUE + "aB3dE6gH9j.", "It is [secret]."),
    ("It is gh&amp#112_" + VALUE + "aB3dE6gH9j.", "It is [secret]."),
    ("https://3f2a9c1b7d8e4f60a1b2c3d4e5f60718@s.io/2", "https://[secret]@s.io/2"),
)
HARMLESS = (
    TABLE.format("required", "your-password-1"),
    "| name | token | used |\n|---|---|---|\n| 1 | access_token | 12 |\n",
    "Keep these: token, secret, password\nnext, then, password1234\n",
    "| password | text |\n|---|---|\n| | abcd1234efgh |\n",
    "https://deadbeef@github.com/a, https://user@example.com",
    "password: hunter2",
    'api_key = os.environ["OPENAI_API_KEY"]',
    "token = generate_access_token(user_id=12345678)",
    "export API_KEY=<your-api-key>",
    "API_TOKEN=${CI_API_TOKEN_2024}",
    'secret: "xxxxxxxxxxxxxxxxxxxxxxxxx"',
    'client = OpenAI(api_key="sk-your-openai-api-key-here")',
    f"It begins with `{BEGIN}` and goes on.",
    f"{BEGIN}\n...\n",
    "postgresql://user:password@localhost:5432/db",
    "https://example.com:8080/a@b",
    "pip install scikit-learn, see sk-learn",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "The secret of success: patience and work.",
    "class .sk-loading-container-wrapper-2 of sk-learn-contrib-imbalanced-learn",
    "next_page_token: CAUQAA7x9KfB2mZ8, nextPageToken=CAUQAA7x9KfB2mZ8aQ",
    "PASSWORD=changeme1",
)


class TestConformance(LeakGuardRules):
    """What every output guard must do, and those against leaks."""

    masking, rejecting = MASK, OutputSettings(secrets=LeakMode.REJECT)
    leaks, harmless = LEAKS, HARMLESS
    answers: Sequence[str] = (f"The key is {KEY}, keep it.", f"{BEGIN}\n{'aB3d' * 16}\n")

    def make_with(self, settings: OutputSettings) -> OutputGuard:
        """Return the guard with these settings."""
        return SecretLeakOutputGuard(settings=settings)


GLUED = ("_example", "-example", "____", "-xxxxxxxx", "-00000000", "-your-key", "...")
TYPED = (
    "gh" + "p_1234567890abcdefghijklmnopqrstuvwxyz",
    "AK" + "IAABCDEFGHIJKLMNOP",
    "AK" + "IAIOSFODNN7EXAMPLE",
    "sk" + "_live_abcdefghijklmnopqrstuvwx",
    "xo" + "xb-123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    "gl" + "pat-aB3dE6gH9jK2mN5pQ8sT",
    "gs" + "k_" + "aB3dE6gH9j" * 5,
    BEGIN + "\nabc\n-----END " + "RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize("glued", GLUED)
async def test_what_is_glued_to_a_key_does_not_free_it(glued: str) -> None:
    """A key is judged alone, and not what stands behind it."""
    key = "gl" + "pat-aB3dE6gH9jK2mN5pQ8sT"

    assert key not in await mask(SecretLeakOutputGuard(settings=MASK), f"It is {key}{glued} ok.")


@pytest.mark.parametrize("key", TYPED)
async def test_a_key_of_the_right_form_does_not_leave(key: str) -> None:
    """Also one of letters in a row, as people type it into tests."""
    assert key not in await mask(SecretLeakOutputGuard(settings=MASK), f"It is {key} ok.")


async def test_a_table_of_secrets_is_held_until_it_ends() -> None:
    """In a stream of any pieces the column is still known in each of its rows."""
    rows = "".join(f"| user{number} | Xk9mQ2vT{number} | x |\n" for number in range(100))
    text = f"Here:\n\n| user | password | note |\n|---|---|---|\n{rows}\nThat is all of them."
    guard = SecretLeakOutputGuard(settings=MASK)

    left = await stream(guard, cut(text, range(0, len(text), 7)))

    assert "Xk9" not in left
    assert left == await mask(guard, text)
    assert left.count("[secret]") == 100
