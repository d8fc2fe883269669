"""Documents by words, by meaning and by both, over whatever database keeps their passages.

A plugin brings a `PassageIndex`; `IndexRetriever` makes a retriever of it that reads files, embeds
their passages, and ranks what the index finds.
"""
