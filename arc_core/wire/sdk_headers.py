"""What the vendors' SDKs tell of themselves and of the machine with every request."""

__all__ = ["CLIENT_HEADERS", "REQUEST_HEADERS"]

CLIENT_HEADERS = (
    "X-Stainless-Lang",
    "X-Stainless-Package-Version",
    "X-Stainless-OS",
    "X-Stainless-Arch",
    "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version",
    "X-Stainless-Async",
)
"""Of every client. Left out: no vendor needs to know it, and each costs microseconds a request."""

REQUEST_HEADERS = ("X-Stainless-Retry-Count", "X-Stainless-Timeout", "X-Stainless-Read-Timeout")
"""Added to each request by some clients; left out if that costs less than to send them."""
