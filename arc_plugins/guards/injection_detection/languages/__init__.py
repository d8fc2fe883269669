"""Words by what they do in a prompt injection; a table per language.

Keys are the concepts that `patterns` puts together. Words are separated by commas; those of several
parts must stand in the text as they are written. They are in lower case, without accents and
punctuation (`don t`), as `words.WordSplitter` makes them.
"""
