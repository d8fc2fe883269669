"""The pages of logins: they need no key, bind the browser, and lead there and back."""

from collections.abc import AsyncIterator

import pytest

from tests.arc_plugins.surfaces.logins.served_logins import (
    ANN,
    BOBS_KEY,
    Place,
    browser,
    cookie_of,
    serving_logins,
)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    """With credentials in memory."""
    async with serving_logins(backend="memory") as place:
        yield place


async def test_a_person_logs_in(place: Place) -> None:
    """From the link to the credential, without a key."""
    async with browser() as client:
        page = await client.get(await place.page())
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        ended = await client.get(place.callback(answer), headers=cookie_of(begun))

    assert page.status_code == 200
    assert "github" in page.text
    assert "ann &lt;b&gt;" in page.text
    assert "acme" in page.text
    assert begun.status_code == 303
    assert ended.status_code == 200
    assert await place.has_credential()
    assert not [each for each in place.server.tokens if each in ended.text]


async def test_the_cookie_is_for_this_server_alone(place: Place) -> None:
    """No script, no other host and no plain connection gets it."""
    async with browser() as client:
        begun = await client.post(await place.page())

    name, *marks = begun.headers["set-cookie"].split("; ")
    assert name.startswith("__Host-arc-login=")
    assert {"HttpOnly", "Secure", "Path=/", "SameSite=lax"} <= set(marks)


async def test_opening_a_link_begins_nothing(place: Place) -> None:
    """Programs that look at links make no states, and no browser is bound unseen."""
    async with browser() as client:
        page = await client.get(await place.page())

    assert "set-cookie" not in page.headers
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"


async def test_pages_of_others_cannot_press_the_button(place: Place) -> None:
    """A form on another site would bind the browser without the person."""
    async with browser() as client:
        pressed = await client.post(await place.page(), headers={"origin": "https://evil.example"})

    assert pressed.status_code == 403
    assert "set-cookie" not in pressed.headers


async def test_a_callback_in_another_browser_does_nothing(place: Place) -> None:
    """And the one that began can still end it."""
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        other = {"cookie": f"__Host-arc-login={'a' * 43}"}
        strange = await client.get(place.callback(answer), headers=other)
        bare = await client.get(place.callback(answer), headers={"cookie": ""})
        had = await place.has_credential()
        ended = await client.get(place.callback(answer), headers=cookie_of(begun))

    assert (strange.status_code, bare.status_code, had) == (400, 400, False)
    assert ended.status_code == 200


async def test_a_program_that_looks_at_the_callback_ends_nothing(place: Place) -> None:
    """HEAD is of programs, and the person can still end the login."""
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        headers = cookie_of(begun)
        looked = await client.head(place.callback(answer), headers=headers)
        had = await place.has_credential()
        ended = await client.get(place.callback(answer), headers=headers)

    assert (looked.status_code, had, ended.status_code) == (405, False, 200)


async def test_a_parameter_that_comes_twice_is_refused(place: Place) -> None:
    """Two programs would read it differently."""
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        address = f"{place.callback(answer)}&state=other"
        twice = await client.get(address, headers=cookie_of(begun))

    assert twice.status_code == 400
    assert not await place.has_credential()


@pytest.mark.parametrize("path", ["/oauth/login/unknown", "/oauth/login/%00", "/oauth/callback"])
async def test_what_is_not_known_is_said(place: Place, path: str) -> None:
    """In a page, with a sentence."""
    async with browser() as client:
        found = await client.get(f"{place.address}{path}")

    assert found.status_code in {400, 410}
    assert "No login" in found.text


async def test_a_caller_that_is_known_logs_in_for_itself_alone(place: Place) -> None:
    """A program's own authentication may say who opens the page."""
    headers = {"authorization": f"Bearer {BOBS_KEY}"}
    async with browser() as client:
        found = await client.get(await place.page(), headers=headers)
        pressed = await client.post(await place.page(), headers=headers)

    assert (found.status_code, pressed.status_code) == (403, 403)


async def test_the_id_of_a_login_is_not_a_key(place: Place) -> None:
    """Who has the link alone reads and decides nothing, and gets no credential of its owner."""
    await place.app.execute("Act", user_id=ANN.user_id, tenant_id=ANN.tenant_id)
    [request] = await place.app.waiting()
    headers = {"authorization": f"Bearer {(await place.page()).rpartition('/')[2]}"}
    run, said = f"{place.address}/api/runs/{request.run_id}", {"key": request.key, "approve": False}
    async with browser() as client:
        found = [
            await client.get(run, headers=headers),
            await client.get(f"{place.address}/api/approvals", headers=headers),
            await client.post(f"{run}/decisions", json=said, headers=headers),
        ]

    assert [each.status_code for each in found] == [401, 401, 401]
    assert list(await place.app.waiting()) == [request]


async def test_a_login_lets_the_runs_of_its_owner_go_on(place: Place) -> None:
    """All of them, and those of others wait on."""
    app = place.app
    runs = [
        await app.execute("Act", user_id=user, tenant_id="acme")
        for user in (ANN.user_id, ANN.user_id, "bob")
    ]
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        await client.get(place.callback(answer), headers=cookie_of(begun))
    results = []
    for each in runs[:2]:
        async with app.attach(each.run_id) as run:
            results.append(await run.result())

    assert [each.content for each in results] == ["Done.", "Done."]
    assert [each.run_id for each in await app.waiting()] == [runs[2].run_id]


async def test_services_can_read_about_the_application(place: Place) -> None:
    """Without a key, at the address that is the name of the client."""
    async with browser() as client:
        response = await client.get(f"{place.address}/oauth/client.json")

    described = response.json()
    assert described["client_id"] == "https://agents.example/oauth/client.json"
    assert described["redirect_uris"] == ["https://agents.example/oauth/callback"]
