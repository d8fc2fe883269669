"""Words by what they mean in a prompt injection; a file per language, a table per file.

Keys are the concepts of `concepts`. Words are separated by commas; a word of several parts must
stand in the text as it is written. Words are in lower case and without accents, as `words.words_of`
makes them; those of Korean, Japanese and Chinese are found anywhere, those of other languages as
whole words.
"""
