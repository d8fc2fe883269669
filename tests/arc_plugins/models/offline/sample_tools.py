"""Tools as users write them, for the offline model to choose from."""

from typing import Literal

from arc_core import tool


@tool
def current_time(place: str = "UTC") -> str:
    """Tell the current local time and today's date in a city or time zone."""
    return f"noon in {place}"


@tool
def calculate(expression: str) -> str:
    """Calculate the exact value of an arithmetic expression."""
    return f"value of {expression}"


@tool
def get_weather(city: str) -> str:
    """Current weather of a city."""
    return f"sunny in {city}"


@tool
def convert_currency(amount: float, source: str, target: str) -> str:
    """Convert an amount of money between currencies, such as USD and EUR."""
    return f"{amount} {source} {target}"


@tool
def convert_length(amount: float, unit: Literal["km", "mile"]) -> str:
    """Convert a length to the other unit, km or mile."""
    return f"{amount} {unit}"


@tool
def send_email(to_email: str, subject: str, body: str) -> str:
    """Send an email to someone."""
    return f"{to_email} {subject} {body}"


@tool
def search_documents(query: str, limit: int = 5) -> str:
    """Search the company's documents."""
    return f"{query} {limit}"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def local_time(timezone: str) -> str:
    """Time in an IANA timezone."""
    return timezone


@tool
def order_status(order_id: int, verbose: bool = False) -> str:  # noqa: FBT001, FBT002 -- a user's
    """Status of an order."""
    return f"{order_id} {verbose}"
