"""Nothing is lost, doubled, invented or put out of order: one marked word is followed."""

from amaranth.hdl import Mux, Signal, Value

__all__ = ["order", "steady"]


def order(h, name, put, put_word, take, take_word, *, limit, clear=0, filler=0, lemma=None):
    """Checks that what is taken is what was put, for any one word.

    Any word may be the marked one; it is the next but ``ahead``. What holds for it holds for all.
    ``clear`` forgets all that is inside. A ``filler`` may be taken while nothing is inside. ``lemma`` is called with
    the number of words inside, whether one is marked, those ahead of it, and itself; it adds lemmas.
    Returns the number of words inside, at most ``limit``.
    """
    m = h.m
    inside = Signal(range(limit + 2), name=f"{name}_inside")
    ahead = Signal(range(limit + 2), name=f"{name}_ahead")
    marked, word = Signal(name=f"{name}_marked"), Signal.like(put_word, name=f"{name}_word")
    mark = h.any(1, f"{name}_mark")
    real = take & (inside != 0)
    with m.If(clear):
        m.d.sync += [inside.eq(0), marked.eq(0)]
    with m.Else():
        m.d.sync += inside.eq(inside + put - real)
        with m.If(put & mark & ~marked):
            m.d.sync += [marked.eq(1), word.eq(put_word), ahead.eq(inside - real)]
        with m.Elif(marked & take):
            m.d.sync += [marked.eq(ahead != 0), ahead.eq(Mux(ahead == 0, 0, ahead - 1))]
    if lemma:
        lemma(inside, marked, ahead, word)
    h.check(f"{name}: no word out of nothing", ~take | (inside != 0) | filler | clear)
    h.check(f"{name}: room for {limit}", inside <= limit)
    h.check(f"{name}: the word that is due",
            ~(take & marked & (ahead == 0)) | (take_word == word) | clear)
    return inside


def steady(h, name, stream, *others, unless=0):
    """Checks that ``stream`` stays valid, with its payload and ``others``, until it is ready."""
    waits = h.past(stream.valid & ~stream.ready)
    h.check(f"{name}: valid stays until ready", ~waits | stream.valid | unless)
    for value in (stream.payload, *others):
        h.check(f"{name}: payload is stable until ready" if value is stream.payload else
                f"{name}: {value.name} is stable until ready",
                ~waits | ~stream.valid | (Value.cast(value) == h.past(value)) | unless)
