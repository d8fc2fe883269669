"""The steps from one schema to the next; none of them ever changes once it has been released.

What searches read of a passage for each word stands apart from its text, so that many fit into a
page. The metadata of a document is there again, so that a search need not look elsewhere for it.
"""

from collections.abc import Callable, Mapping

from alembic.operations import Operations

VERSION_TABLE = "arc_documents_schema"
"""The table that names the revision, as Alembic keeps it."""

_TABLES = """
CREATE TABLE arc_documents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_hash bytea NOT NULL UNIQUE, source text NOT NULL,
  title text NOT NULL, digest text NOT NULL, metadata jsonb NOT NULL
);
CREATE TABLE arc_passages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document bigint NOT NULL REFERENCES arc_documents ON DELETE CASCADE,
  number integer NOT NULL, heading text NOT NULL, text text NOT NULL
);
CREATE INDEX arc_passages_by_document ON arc_passages (document);
CREATE TABLE arc_passage_terms (
  passage bigint PRIMARY KEY REFERENCES arc_passages ON DELETE CASCADE,
  length integer NOT NULL,
  tenant text GENERATED ALWAYS AS (metadata ->> 'tenant') STORED,
  metadata jsonb NOT NULL, terms tsvector NOT NULL
);
CREATE INDEX arc_passages_by_terms ON arc_passage_terms USING gin (terms) WITH (fastupdate = off);
CREATE TABLE arc_vector_spaces (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL, dimensions integer NOT NULL, UNIQUE (name, dimensions)
);
CREATE TABLE arc_vectors (
  passage bigint REFERENCES arc_passages ON DELETE CASCADE,
  space integer REFERENCES arc_vector_spaces ON DELETE CASCADE,
  vector halfvec NOT NULL, PRIMARY KEY (passage, space)
)
"""


def _add_tables(op: Operations) -> None:
    for statement in _TABLES.split(";\n"):
        op.execute(statement)


REVISIONS: Mapping[str, Callable[[Operations], None]] = {"0001": _add_tables}
"""The revisions that this version of Arc knows, oldest first.

A change of how texts are split into terms needs one, too: it makes the terms anew.
"""
