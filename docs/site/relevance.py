"""How well a page answers a word of the search: BM25 over its text, with titles counted more often.

Sphinx's search finds the pages, and knows only whether a page has a word; relevance.js orders them by this table.
"""

import json
import math
import re
from collections import Counter

import snowballstemmer
from docutils import nodes

#: How often a word of the title of a page, and of a heading, counts.
PAGE_TITLE, HEADING = 30, 8
#: The usual parameters of BM25.
SATURATION, LENGTH = 1.2, 0.5


def words_of(tree, stem):
    """Counter of the stemmed words of a document."""
    found = Counter(stem(tree.astext()))
    for place, title in enumerate(tree.findall(nodes.title)):
        for word in stem(title.astext()):
            found[word] += HEADING if place else PAGE_TITLE
    return found


def weights(pages):
    """Page to word to weight, of the Counters ``pages``."""
    holds = Counter(word for words in pages.values() for word in words)
    mean = sum(words.total() for words in pages.values()) / len(pages)
    found = {}
    for name, words in pages.items():
        norm = SATURATION * (1 - LENGTH + LENGTH * words.total() / mean)
        found[name] = {word: round(math.log(1 + (len(pages) - holds[word] + 0.5) / (holds[word] + 0.5))
                                   * count * (SATURATION + 1) / (count + norm), 2)
                       for word, count in words.items()}
    return found


def write(app, error):
    """The handler of `build-finished`: relevance_table.js."""
    if error or app.builder.format != "html":
        return
    stemmer = snowballstemmer.stemmer("english")
    known = {}

    def stem(text):
        # Whoever searches for AXI means AXI4, too, and with tlast s_axis_tlast.
        text = re.sub(r"\b([a-z]{3,})(\d+)\b", r"\1 \1\2", text.lower())
        for word in re.findall(r"\w+", re.sub(r"\b(\w+_([a-z]{5,}))\b", r"\1 \2", text)):
            if word not in known:
                known[word] = stemmer.stemWord(word)
            yield known[word]
    pages = {name: words_of(app.env.get_doctree(name), stem) for name in sorted(app.env.found_docs)}
    path = app.outdir / "_static/relevance_table.js"
    path.write_text(f"const RELEVANCE = {json.dumps(weights(pages), separators=(',', ':'))};\n", encoding="utf-8")
