"""A state machine whose states are in flops of their own."""

__all__ = ["states"]


def states(h, path, *names):
    """The probes of the states ``names`` of the OneHotStates in the module ``path``, by name. A lemma states that
    the state is always one of them."""
    found = {name: h.probe(f"{path}.is_{name.lower()}") for name in names}
    h.lemma(f"one state of {path}", sum(found.values()) == 1)
    return found
