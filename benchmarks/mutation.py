"""How strong the tests are: small mistakes are put into the gateware, and the tests must notice.

Each mutant is elaborated first; one whose netlists are those of the original, or that has none, is
not counted. Then run, until one fails: the unit tests of its layer, in Amaranth's simulator; the
tests of tests/integration/clauses against the whole core, compiled; with --last the campaign of the
test suite and the others of tests/integration that look at link to recorder. Results are kept in
build/mutation.jsonl, and a run continues where the last one was stopped. Status 1 if a mutant
survived and benchmarks/mutation.toml does not say why.
"""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

import tables
from mutants import mutants
from mutation_report import explained, of_the_others, rows, write
from mutation_run import LAYERS, CORE, ROOT, Workplace, digest

STORE = ROOT / "build/mutation.jsonl"


def catalogue(layers, seed):
    """All mutants of ``layers`` by their names, in a random order that ``seed`` decides. A name
    changes with the source file."""
    found = {}
    for layer in layers:
        for path in sorted((CORE / layer).rglob("*.py")):
            source = path.read_text()
            name = str(path.relative_to(CORE))
            for mutant in mutants(name, source):
                found[digest(f"{source}\n{name} {mutant.start} {mutant.end} {mutant.new}")] = mutant
    return dict(sorted(found.items(), key=lambda item: digest(f"{seed} {item[0]}")))


def stored(path):
    """The results in ``path`` by name; what was written last counts."""
    if not path.exists():
        return {}
    return {entry["name"]: entry for entry in map(json.loads, path.read_text().splitlines())}


_place = None       # of a process of the pool


def _begin():
    global _place
    _place = Workplace().__enter__()


def _judge(name, mutant, original, last):
    return {"name": name} | mutant._asdict() | _place.judge(mutant, original, last=last)


def run(todo, layers, arguments, progress):
    """Judges ``todo``, writes each result to the store at once."""
    with Workplace() as place:
        originals = {layer: place.netlist(layer) for layer in layers}
        broken = [layer for layer, netlist in originals.items() if netlist is None]
        if broken:
            sys.exit(f"cannot be elaborated as it is: {', '.join(broken)}")
        if not arguments.unchecked and (test := place.sound(layers, last=arguments.last)):
            sys.exit(f"fails without a mutant: {test}")
    STORE.parent.mkdir(exist_ok=True)
    task = progress.add_task("mutants", total=len(todo))
    pool = ProcessPoolExecutor(arguments.jobs, initializer=_begin)
    with pool, STORE.open("a") as store:
        waiting = [pool.submit(_judge, name, mutant, originals[mutant.path.partition("/")[0]],
                               arguments.last) for name, mutant in todo]
        try:
            for future in as_completed(waiting):
                entry = future.result()
                store.write(json.dumps(entry) + "\n")
                store.flush()
                if entry["verdict"] == "survived":
                    progress.console.print(f"survived: {entry['path']}:{entry['line']}: "
                                           f"{entry['old']} -> {entry['new']}", markup=False)
                progress.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def main():
    """The command line."""
    parser = tables.parser(__doc__, "docs/mutation.md")
    parser.add_argument("--layers", default=",".join(LAYERS), help="default: %(default)s")
    parser.add_argument("--count", type=int, default=150, help="mutants of the sample, those "
                        "known already included; 0 for all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--unchecked", action="store_true",
                        help="do not run the tests without a mutant first")
    parser.add_argument("--last", action="store_true", help="the long tests for survivors, too")
    parser.add_argument("--survivors", action="store_true",
                        help="judge those again that survived and are not explained")
    parser.add_argument("--report", action="store_true", help="judge nothing, show what is known")
    arguments = parser.parse_args()
    layers = arguments.layers.split(",")
    if unknown := set(layers) - set(LAYERS):
        parser.error(f"--layers: {', '.join(sorted(unknown))}: one of {', '.join(LAYERS)}")
    if arguments.count < 0 or arguments.jobs < 1:
        parser.error("--count must not be negative, --jobs at least 1")

    everything = catalogue(layers, arguments.seed)
    known = stored(STORE)
    todo = [(name, mutant) for name, mutant in everything.items() if name not in known]
    if arguments.count:
        todo = todo[:max(0, arguments.count - (len(everything) - len(todo)))]
    if arguments.survivors or arguments.last:
        todo += [(name, mutant) for name, mutant in everything.items() if name in known
                 and known[name]["verdict"] == "survived" and not explained(known[name])]
    if todo and not arguments.report:
        with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn()) as progress:
            run(todo, layers, arguments, progress)
    known = stored(STORE)
    results = [known[name] for name in everything if name in known]
    if arguments.markdown:
        write(results, arguments)
    header, *lines = rows(results)
    tables.output(f"{tables.markdown(header, lines)}\n{of_the_others(results)}")
    sys.exit(any(entry["verdict"] == "survived" and not explained(entry) for entry in results))


if __name__ == "__main__":
    main()
