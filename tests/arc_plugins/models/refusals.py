"""Refusals as the client of Arc raises them."""

import httpx2

__all__ = ["refusal"]

_ADDRESS = "http://127.0.0.1/v1/chat/completions"


def refusal(
    status: int, body: object = None, *, address: str = _ADDRESS, **headers: str
) -> httpx2.HTTPStatusError:
    """A status of 400 or more with a body of JSON; the body has no place in its text."""
    request = httpx2.Request("POST", address)
    response = httpx2.Response(status, request=request, json=body, headers=headers)
    return httpx2.HTTPStatusError(f"Error code: {status}", request=request, response=response)
