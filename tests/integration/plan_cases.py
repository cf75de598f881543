"""Twenty questions and their drives: arithmetic and simulation must give the same FIFO.

    PYTHONPATH=tests .venv/bin/python -m integration.plan_cases

writes the table of docs/plan.md again.
"""

from pathlib import Path

from sata_recorder.lab.measurement import Store
from sata_recorder.lab.plan import Requirement, check, critical
from sata_recorder.simulation import load_profile

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plan.md"

#: Drive, rate, sectors of the longest command.
CASES = [
    ("x25-e", "50MB/s", 2048), ("x25-e", "100MB/s", 2048), ("x25-e", "190MB/s", 2048),
    ("x25-e", "60MB/s", 256), ("g-monster-v2", "100MB/s", 2048), ("g-monster-v2", "140MB/s", 4096),
    ("vertex-plus", "25MB/s", 2048), ("vertex-plus", "100MB/s", 2048),
    ("vertex-plus", "120MB/s", 2048),
    ("870-qvo", "70MB/s", 2048), ("870-qvo", "150MB/s", 2048), ("870-qvo", "250MB/s", 1024),
    ("970-evo-plus", "150MB/s", 2048), ("970-evo-plus", "200MB/s", 2048),
    ("dc-s3700", "280MB/s", 2048), ("pm1725b", "125MB/s", 2048), ("pm1725b", "150MB/s", 2048),
    ("st8000as0002", "40MB/s", 2048), ("st8000as0002", "70MB/s", 2048),
    ("hds721050cla362", "105MB/s", 2048), ("ts32gssd25s", "80MB/s", 256),
    ("optane", "230MB/s", 2048),
]


def question(case):
    """(requirement, profile) of a case."""
    drive, rate, sectors = case
    return (Requirement.of(rate, duration="1h", command_sectors=sectors), load_profile(drive))


def rows(store):
    """One line of the table a case."""
    for case in CASES:
        requirement, profile = question(case)
        found, (part, _) = check(requirement, profile, store=store), critical(requirement, profile)
        yield (f"| {case[0]} | {requirement.rate / 1e6:g} | {case[2]:,} | {part.bytes:,} | "
               f"{found.planned:,} | {found.simulated:,} | "
               f"{'yes' if found.agrees else 'NO'} |")


def main():
    head = ["| drive | MB/s | sectors a command | bytes | planned words | simulated words | agree |",
            "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    table = "\n".join([*head, *rows(Store())])
    before, _, rest = PAGE.read_text().partition("<!-- plan:begin -->\n")
    _, mark, after = rest.partition("<!-- plan:end -->")
    PAGE.write_text(f"{before}<!-- plan:begin -->\n{table}\n{mark}{after}")


if __name__ == "__main__":
    main()
