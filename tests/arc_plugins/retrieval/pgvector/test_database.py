"""Databases that have no index, and those that can have none."""

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import make_url

from arc_core import ConfigurationError
from arc_plugins.retrieval.pgvector.database import documents_address
from arc_plugins.retrieval.pgvector.index import PgvectorPassageIndex
from tests.arc_plugins.postgres_server import database_at, execute, schema_at


@pytest.fixture
def empty_database(pgvector: str) -> Iterator[str]:
    """The address of a database without the extension, of a server that has it."""
    with database_at(pgvector) as url:
        yield url


@pytest.fixture
def stranger(pgvector: str, empty_database: str) -> Iterator[str]:
    """The address of that database for a user who may do nothing there."""
    url = make_url(empty_database)
    name = f"{url.database}_stranger"
    execute(pgvector, f"CREATE ROLE {name} LOGIN PASSWORD 'hunter2'")
    try:
        yield url.set(username=name, password="hunter2").render_as_string(hide_password=False)
    finally:
        execute(empty_database, f"DROP OWNED BY {name}")
        execute(empty_database, f"DROP ROLE {name}")


async def refusal(url: str, *, create: bool = False) -> ConfigurationError:
    """Return what is said of a database."""
    index = PgvectorPassageIndex(documents_address(url))
    with pytest.raises(ConfigurationError) as caught:
        await index.start(create=create)
    return caught.value


async def make(url: str, *, create: bool = True) -> None:
    """Make an index, or see that it is there."""
    index = PgvectorPassageIndex(documents_address(url))
    await index.start(create=create)
    await index.aclose()


async def test_what_has_no_index_says_what_makes_it(pgvector_database: str) -> None:
    """The rest is as it should be."""
    error = await refusal(pgvector_database)

    assert str(error).startswith("the database of rag.url has no index of documents")
    assert error.remedy == "run `arc docs add PATH…`, or correct rag.url"


async def test_the_extension_is_created_with_the_index(empty_database: str) -> None:
    """If the user may do so; it is there for the next one."""
    before = await refusal(empty_database)
    await make(empty_database)
    await make(empty_database, create=False)

    assert (before.remedy or "").startswith("run `arc docs add PATH…`")


@pytest.mark.parametrize("create", [True, False])
async def test_a_server_without_the_extension_says_what_to_install(
    postgres: str, *, create: bool
) -> None:
    """At the start, too, and for its own version."""
    with database_at(postgres) as url:
        try:
            execute(url, "CREATE EXTENSION vector")
        except Exception:  # noqa: BLE001 -- of psycopg, which may not be installed
            error = await refusal(url, create=create)
        else:
            pytest.skip("this PostgreSQL has pgvector")

    assert str(error).startswith("the database of rag.url has no pgvector")
    assert re.search(
        r"install pgvector 0\.8 or newer .* postgresql-\d+-pgvector", error.remedy or ""
    )


@pytest.mark.parametrize("create", [True, False])
async def test_an_old_extension_says_how_to_update_it(empty_database: str, *, create: bool) -> None:
    """Versions before 0.8 end a search before a filter has let anything through."""
    await make(empty_database)
    execute(empty_database, "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    error = await refusal(empty_database, create=create)

    assert "its pgvector is 0.7.4, needed is 0.8" in str(error)
    assert error.remedy == "let an administrator run ALTER EXTENSION vector UPDATE"


@pytest.mark.parametrize("create", [True, False])
async def test_an_extension_that_is_not_searched_is_told(pgvector: str, *, create: bool) -> None:
    """Its types cannot be named then."""
    with schema_at(pgvector) as url:
        error = await refusal(url, create=create)

    assert "it is in the schema public" in str(error)
    assert (error.remedy or "").startswith("add public to search_path in rag.url")


async def test_an_index_of_a_newer_version_is_left_alone(pgvector_database: str) -> None:
    """It may have what this version would spoil."""
    await make(pgvector_database)
    schema = str(make_url(pgvector_database).query["search_path"]).partition(",")[0]
    plain = str(make_url(pgvector_database).set(query={}))
    execute(plain, f"UPDATE {schema}.arc_documents_schema SET version_num = '9999'")

    for create in (True, False):
        assert "is newer than this version" in str(await refusal(pgvector_database, create=create))


async def test_an_administrator_gives_the_rights_by_what_the_errors_say(
    empty_database: str, stranger: str
) -> None:
    """Each names one statement, and none repeats the password."""
    ran = list[str]()
    while len(ran) < 2:
        error = await refusal(stranger, create=True)
        _, said, statement = (error.remedy or "").partition("let an administrator run ")
        assert said
        assert "hunter2" not in str(error)
        execute(empty_database, statement)
        ran.append(statement)
    await make(stranger)

    assert ran[0].startswith("GRANT CREATE ON SCHEMA public TO arc_test_")
    assert ran[1] == "CREATE EXTENSION vector"


async def test_who_only_reads_needs_only_that_right(empty_database: str, stranger: str) -> None:
    """An application does not write its documents; `arc docs add` says what it needs besides."""
    await make(empty_database)
    reading = await refusal(stranger)
    execute(empty_database, (reading.remedy or "").partition("run ")[2])
    await make(stranger, create=False)
    writing = await refusal(stranger, create=True)
    execute(empty_database, (writing.remedy or "").partition("run ")[2])
    await make(stranger)

    assert "run GRANT SELECT ON ALL TABLES IN SCHEMA public TO" in (reading.remedy or "")
    assert "run GRANT ALL ON ALL TABLES IN SCHEMA public TO" in (writing.remedy or "")


async def test_a_database_that_is_away_is_told(pgvector_database: str) -> None:
    """Without what is secret in its address."""
    address = make_url(pgvector_database).set(port=1, password="hunter2")
    error = await refusal(address.render_as_string(hide_password=False))

    assert "cannot be reached" in str(error)
    assert "hunter2" not in f"{error} {error.remedy} {error.evidence}"
