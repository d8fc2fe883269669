"""The statements of the index.

The number of a space stands in the text of a statement: PostgreSQL takes a partial index only for a
condition that it knows when it plans.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import TextClause
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import TypeEngine

from arc_plugins.retrieval.pgvector.terms import MOST_PROBES

MOST_INDEXED = 4_000
"""Dimensions; HNSW takes no more, and vectors of more are compared one by one."""


def _prepare(text: str, **types: TypeEngine[Any]) -> TextClause:
    """Return a statement with the types of its parameters, which else are those of small values."""
    return sa.text(text).bindparams(*(sa.bindparam(name, type_=it) for name, it in types.items()))


_TEXTS, _NUMBERS, _IDS = ARRAY(sa.Text), ARRAY(sa.Integer), ARRAY(sa.BigInteger)

SOURCES = sa.text("""
SELECT source, digest, CAST(metadata AS text) AS metadata, count(arc_passages.id) AS passages
FROM arc_documents LEFT JOIN arc_passages ON document = arc_documents.id GROUP BY arc_documents.id
""")
KEEP_DOCUMENT = _prepare(
    """
INSERT INTO arc_documents (source_hash, source, title, digest, metadata)
VALUES (:source_hash, :source, :title, :digest, CAST(:metadata AS jsonb))
ON CONFLICT (source_hash) DO UPDATE
SET title = excluded.title, digest = excluded.digest, metadata = excluded.metadata
RETURNING id
""",
    source_hash=sa.LargeBinary(),
)
OLD_PASSAGES = _prepare(
    "SELECT id, heading, text FROM arc_passages WHERE document = :document",
    document=sa.BigInteger(),
)
KEEP_PASSAGES = _prepare(
    """
INSERT INTO arc_passages (document, number, heading, text)
SELECT :document, number, heading, text
FROM unnest(:headings, :texts) WITH ORDINALITY AS new (heading, text, number)
RETURNING number, id
""",
    document=sa.BigInteger(),
    headings=_TEXTS,
    texts=_TEXTS,
)
KEEP_TERMS = _prepare(
    """
INSERT INTO arc_passage_terms (passage, length, metadata, terms)
SELECT id, length, CAST(:metadata AS jsonb), CAST(terms AS tsvector)
FROM unnest(:ids, :lengths, :terms) AS new (id, length, terms)
""",
    ids=_IDS,
    lengths=_NUMBERS,
    terms=_TEXTS,
)
COPY_VECTORS = _prepare(
    """
INSERT INTO arc_vectors (passage, space, vector)
SELECT new.id, space, vector
FROM unnest(:ids, :old_ids) AS new (id, old_id) JOIN arc_vectors ON passage = old_id
""",
    ids=_IDS,
    old_ids=_IDS,
)
FORGET_PASSAGES = _prepare("DELETE FROM arc_passages WHERE id = ANY (:ids)", ids=_IDS)
REMOVE = _prepare(
    "DELETE FROM arc_documents WHERE source_hash = ANY (:hashes) RETURNING source",
    hashes=ARRAY(sa.LargeBinary),
)

SPACES = sa.text("""
SELECT arc_vector_spaces.id, name, dimensions, count(*) AS vectors
FROM arc_vector_spaces JOIN arc_vectors ON space = arc_vector_spaces.id
GROUP BY arc_vector_spaces.id ORDER BY arc_vector_spaces.id
""")
SPACE = sa.text("SELECT id FROM arc_vector_spaces WHERE name = :name AND dimensions = :dimensions")
HELD_SPACE = sa.text(f"{SPACE} FOR KEY SHARE")
"""For a transaction in which the space is not forgotten."""

ADD_SPACE = sa.text("""
INSERT INTO arc_vector_spaces (name, dimensions) VALUES (:name, :dimensions) ON CONFLICT DO NOTHING
""")
OTHER_SPACES = sa.text("""
SELECT id FROM arc_vector_spaces WHERE NOT (name = :name AND dimensions = :dimensions)
""")
FORGET_SPACE = sa.text("DELETE FROM arc_vector_spaces WHERE id = :space")
UNEMBEDDED = _prepare(
    """
SELECT id, heading, text FROM arc_passages
WHERE id > :after AND NOT EXISTS (
  SELECT FROM arc_vectors WHERE passage = arc_passages.id AND space = :space
)
ORDER BY id LIMIT :limit
""",
    after=sa.BigInteger(),
)
PUT_VECTORS = _prepare(
    """
INSERT INTO arc_vectors (passage, space, vector)
SELECT arc_passages.id, :space, CAST(vector AS halfvec)
FROM unnest(:ids, :vectors) AS new (id, vector) JOIN arc_passages ON arc_passages.id = new.id
ORDER BY arc_passages.id FOR KEY SHARE OF arc_passages
ON CONFLICT DO NOTHING
""",
    ids=_IDS,
    vectors=_TEXTS,
)

ANALYZE = sa.text("ANALYZE arc_passage_terms, arc_vectors")
STATISTICS = sa.text("""
SELECT CASE WHEN reltuples < 0 THEN (SELECT count(*) FROM arc_passage_terms) ELSE reltuples END,
  coalesce((SELECT avg(length) FROM (SELECT length FROM arc_passage_terms LIMIT 1000) AS first), 1),
  CAST(CAST(most_common_elems AS text) AS text[]), most_common_elem_freqs
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
LEFT JOIN pg_stats ON schemaname = nspname AND tablename = relname AND attname = 'terms'
WHERE pg_class.oid = to_regclass('arc_passage_terms')
""")
TUNE_SEARCH = sa.text("""
SELECT set_config('jit', 'off', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', :ef_search, true)
""")
TUNE_WORDS = sa.text("""
SELECT set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
""")
"""The words change nothing in the plan, and planning takes a millisecond or two."""

TUNE_BUILD = sa.text("""
SELECT set_config('max_parallel_maintenance_workers', '0', true),
  set_config('maintenance_work_mem', CASE
    WHEN pg_size_bytes(current_setting('maintenance_work_mem')) < 268435456 THEN '256MB'
    ELSE current_setting('maintenance_work_mem') END, true)
""")
"""A graph that does not fit is built ten times slower; workers need shared memory, which containers
have little of."""

PASSAGES = _prepare(
    """
SELECT arc_passages.id, heading, text, number, source, title,
  CAST(arc_documents.metadata AS text) AS metadata
FROM arc_passages JOIN arc_documents ON arc_documents.id = document
WHERE arc_passages.id = ANY (:ids)
""",
    ids=_IDS,
)
_FOUND = "SELECT passage AS id, score FROM best ORDER BY score DESC, passage"

_MOST_TELLING = 16
"""Words of a query, the rarest, by which candidates are chosen."""

_PRESENT = " + ".join(
    f"CASE WHEN terms @@ words[{at}] THEN weights[{at}] ELSE 0 END"
    for at in range(1, _MOST_TELLING + 1)
)
PROBES = [f"probe_{at}" for at in range(MOST_PROBES)]
_PROBED = " OR ".join(f"terms @@ CAST(:{probe} AS tsquery)" for probe in PROBES)
_BEST_BY_WORDS = """
WITH counted AS MATERIALIZED (
  SELECT number, word, CASE WHEN share IS NOT NULL THEN share * :passages ELSE (
    SELECT count(*) FROM arc_passage_terms WHERE terms @@ word
  ) END AS n
  FROM (
    SELECT number, CAST(word AS tsquery) AS word, share
    FROM unnest(:words, :shares) WITH ORDINALITY AS given (word, share, number) OFFSET 0
  ) AS parsed
), weighted AS MATERIALIZED (
  SELECT number, word, greatest(ln((passages - n + 0.5) / (n + 0.5)), 0.000001) AS weight
  FROM counted CROSS JOIN (
    SELECT greatest(:passages, max(n)) AS passages FROM counted
  ) AS facts
  WHERE n > 0
), question AS MATERIALIZED (
  SELECT array_agg(word ORDER BY number) AS words, array_agg(weight ORDER BY number) AS weights
  FROM weighted
), candidates AS MATERIALIZED (
  SELECT passage, norm, terms FROM (
    SELECT passage, 1.2 * (0.25 + 0.75 * length / :mean_length) AS norm,
      CASE WHEN length > 250 THEN terms || CAST('' AS tsvector) ELSE terms END AS terms
    FROM arc_passage_terms
    WHERE {probed} LIMIT :most
  ) AS looked_at CROSS JOIN question
  ORDER BY ({present}) / (1 + norm) DESC, passage LIMIT :candidates
), ranked AS (
  SELECT passage, norm, weight, 0.645 / greatest(1.645 - rank / (0.8 / 1.645), 0.03) AS times
  FROM candidates CROSS JOIN weighted CROSS JOIN LATERAL (
    SELECT ts_rank(CAST('{{0.8, 0.8, 0.8, 1}}' AS float4[]), terms, word) AS rank
  ) AS found
  WHERE rank > 0
), best AS MATERIALIZED (
  SELECT passage, sum(weight * times * 2.2 / (times + norm)) AS score
  FROM ranked GROUP BY passage ORDER BY score DESC, passage LIMIT :limit
)
"""
_BEST_OF_ALL = """
WITH best AS MATERIALIZED (
  SELECT passage, -(vector <#> CAST(:vector AS halfvec)) AS score
  FROM arc_passage_terms JOIN arc_vectors USING (passage)
  WHERE space = {space:d} AND {condition}
  ORDER BY score DESC, passage LIMIT :limit
)
"""
_BEST_BY_GRAPH = """
WITH best AS MATERIALIZED (
  SELECT passage, -(vector <#> CAST(:vector AS halfvec)) AS score
  FROM arc_vectors JOIN arc_passage_terms USING (passage)
  WHERE space = {space:d} AND {condition}
  ORDER BY CAST(vector AS halfvec({dimensions:d})) <#> CAST(:vector AS halfvec({dimensions:d}))
  LIMIT :limit
)
"""
_CREATE_GRAPH = """
CREATE INDEX IF NOT EXISTS arc_vectors_of_space_{space:d} ON arc_vectors
USING hnsw ((CAST(vector AS halfvec({dimensions:d}))) halfvec_ip_ops) WHERE space = {space:d}
"""

FIND_BY_WORDS = _prepare(
    _BEST_BY_WORDS.format(probed=_PROBED, present=_PRESENT) + _FOUND,
    words=_TEXTS,
    shares=ARRAY(sa.Double),
    passages=sa.Double(),
    mean_length=sa.Double(),
    **dict.fromkeys(PROBES, sa.Text()),
)
"""BM25, for the passages that fit a probe and have the most telling words for their length.

`ts_rank` of one word says how often a passage has it, or nearly: it is 0.8 / 1.645 times the sum of
1, 1/4, 1/9, …, and a heading counts as two places. What has many terms may be stored out of line;
`terms || ''` fetches it once and not for each word.
"""


def find_among_filtered(space: int, *, is_filtered: bool) -> TextClause:
    """Return a statement that compares all vectors that a filter leaves."""
    condition = "terms @@ CAST(:filter AS tsquery)" if is_filtered else "true"
    return sa.text(_BEST_OF_ALL.format(space=space, condition=condition) + _FOUND)


def find_by_graph(space: int, dimensions: int, *, condition: str) -> TextClause:
    """Return a statement that follows the graph of a space until enough has passed a filter."""
    best = _BEST_BY_GRAPH.format(space=space, dimensions=dimensions, condition=condition)
    return sa.text(best + _FOUND)


def create_graph(space: int, dimensions: int) -> TextClause:
    """Return a statement that makes the HNSW index of a space, if there is none."""
    return sa.text(_CREATE_GRAPH.format(space=space, dimensions=dimensions))


def drop_graph(space: int) -> TextClause:
    """Return a statement that drops the HNSW index of a space, if there is one."""
    return sa.text(f"DROP INDEX IF EXISTS arc_vectors_of_space_{space:d}")
