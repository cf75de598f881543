"""The resets of a transceiver of the 7-series, with the longest times that its PLL and an MMCM may take."""

from unit.bench import Bench

from sata_recorder.core.phy.series7.resets import TransmitterResets

HZ = 2e6
#: The longest, in clocks, until the PLL of a GTP or a GTX has locked, as remembered; until an MMCM has, by DS181.
PLL, MMCM = round(1e-3 * HZ), round(100e-6 * HZ)


def test_the_slowest_pll_and_mmcm_that_are_allowed_are_awaited():
    async def script(bench):
        bench.set(referenced=1)
        since = {"pll": 0, "clock": 0}
        resets = 0
        for _ in range(3 * (PLL + MMCM)):
            before = since["pll"]
            for name in since:
                since[name] = 0 if bench.get(name) else since[name] + 1
            resets += before > 0 and since["pll"] == 0
            bench.set(pll_locked=since["pll"] > PLL, clock_locked=since["clock"] > MMCM,
                      done=bench.get("stable"))
            if bench.get("ready"):
                break
            await bench.tick()
        return bench.get("ready"), resets

    ready, resets = Bench(TransmitterResets(HZ)).run(script)
    assert ready and resets == 1
