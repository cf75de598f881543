"""One proof, in a process of its own: what it found goes to standard output as JSON.

    python -m formal.worker NAME prove|cover|fault [HINT]
"""

import json
import sys
import tempfile
from dataclasses import asdict
from importlib import import_module

from formal.catalog import PROOFS
from formal.engine import FormalModel
from formal.harness import Harness


def model(proof, folder, hint=""):
    module, function = proof.build.split(".")
    harness = Harness(hint)
    getattr(import_module(f"formal.proofs.{module}"), function)(harness, **proof.keywords)
    return FormalModel(harness, folder)


def answers(proof, what, folder, hint):
    found = model(proof, folder, hint)
    if what == "prove":
        for index in range(len(found.checks["bad"])):
            yield found.examine(index, proof.bound, proof.seconds) if proof.bound else found.prove(index, proof.seconds)
    elif what == "cover":
        for index in range(len(found.covers)):
            yield found.cover(index, proof.frames, proof.seconds)
    else:
        yield found.search(proof.depth, proof.seconds)


def main(name, what, hint=""):
    proof = next(proof for proof in PROOFS if proof.name == name)
    with tempfile.TemporaryDirectory(prefix="formal-") as folder:
        for verdict in answers(proof, what, folder, hint):
            print(json.dumps(asdict(verdict)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
