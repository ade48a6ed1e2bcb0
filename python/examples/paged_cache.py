"""A cache of keys, [tokens, heads, d], into pages of some tokens, [heads, pages, tokens, d].

A page is a view of the tokens that it holds, so one plan, made for a page of tokens, moves each of
them; the last, which is not full, is a slice of its own."""

import numpy

import relayout

TOKENS, HEADS, D, PAGE = 250, 8, 64, 16


def by_heads(tokens):
    return tokens.transpose(1, 0, 2)


def fill_pages(keys, pages):
    """`pages` is [heads, pages, PAGE, d]."""
    first = by_heads(keys[:PAGE])
    plan = relayout.plan(first, pages[:, 0])
    full = len(keys) // PAGE
    for page in range(full):
        plan(by_heads(keys[page * PAGE:(page + 1) * PAGE]), pages[:, page])
    rest = len(keys) % PAGE
    if rest:
        relayout.copy(by_heads(keys[full * PAGE:]), out=pages[:, full, :rest])


def main():
    keys = numpy.random.default_rng(2).normal(size=(TOKENS, HEADS, D)).astype(numpy.float16)
    count = -(-TOKENS // PAGE)
    pages = numpy.zeros((HEADS, count, PAGE, D), numpy.float16)
    fill_pages(keys, pages)
    flat = pages.reshape(HEADS, count * PAGE, D)
    assert numpy.array_equal(flat[:, :TOKENS], keys.transpose(1, 0, 2))
    assert not flat[:, TOKENS:].any()
    print(f"{TOKENS} tokens in {count} pages of {PAGE}, for each of {HEADS} heads")


if __name__ == "__main__":
    main()
