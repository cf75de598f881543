"""The queue of dwords against a deque, also where it has to grow and where it wraps."""

import random
from collections import deque

import pytest
from sata_drive_model.dword_queue import DwordQueue


@pytest.mark.parametrize("seed", range(20))
def test_it_is_a_queue(seed):
    rng = random.Random(seed)
    first = [rng.getrandbits(36) for _ in range(rng.choice((0, 1, 15, 16, 17, 40)))]
    queue, model = DwordQueue(first), deque(first)
    for _ in range(2000):
        assert queue.count == len(model)
        if model and rng.random() < 0.49:
            assert queue.take() == model.popleft()
        else:
            word = rng.getrandbits(36)
            queue.append(word)
            model.append(word)
    assert queue.count > 16
    while model:
        assert queue.take() == model.popleft()
    assert queue.count == 0
