"""What core and link alone permit by the size of an access, on a drive that never waits: a table of docs/access.md."""

from sata_recorder.lab.access import AccessOptions, execute, make_job

_SIZES = ("512B", "1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "64KiB", "256KiB", "1MiB")
_GENERATION = 3


def main():
    print(f"{'size':8}{'write IOPS':>11}{'MB/s':>8}{'read IOPS':>11}{'MB/s':>8}{'us from status to command':>27}")
    for size in _SIZES:
        row = f"{size:8}"
        for write in (True, False):
            result = execute(make_job(AccessOptions(size=size, write=write, generation=_GENERATION, commands=40)))
            if result.problems:
                raise SystemExit("; ".join(result.problems))
            row += f"{result.iops:11,.0f}{result.rate / 1e6:8.1f}"
        print(f"{row}{1e6 * result.between / (result.count - 1) / result.clock_hz:27.2f}")


if __name__ == "__main__":
    main()
