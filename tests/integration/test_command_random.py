"""Random ATA commands by COMMAND, random drives and faults: each ends, with what the drive reports, and
the core continues."""

import random

import pytest
from integration.small import SMALL, commands, connect, works
from sata_drive_model import Behaviour, Health
from short import short

from sata_recorder.core.drive_port import Error, Operation

PLAY, RECORD, FLUSH = Operation.PLAY, Operation.RECORD, Operation.FLUSH
SMART = 0xC24F00
#: What a good drive executes without an error.
GOOD = [
    (FLUSH, {"command": 0xE5}), (FLUSH, {"command": 0xE0}), (FLUSH, {"command": 0xEA}),
    (FLUSH, {"command": 0xB0, "features": 0xDA, "lba": SMART}),
    (FLUSH, {"command": 0x42, "lba": 5, "count": 9}),
    (PLAY, {"command": 0xB0, "features": 0xD0, "lba": SMART, "blocks": 1, "pio": 1}),
    (PLAY, {"command": 0x2F, "lba": 4, "count": 8, "blocks": 8, "pio": 1}),
    (PLAY, {"command": 0x47, "lba": 4, "count": 8, "blocks": 8}),
    (PLAY, {"command": 0x25, "lba": 33, "count": 16, "blocks": 16}),
    (PLAY, {"command": 0x24, "lba": 33, "count": 16, "blocks": 16, "pio": 1}),
    (RECORD, {"command": 0x34, "lba": 50, "count": 5, "blocks": 5, "pio": 1}),
    (RECORD, {"command": 0x35, "lba": 50, "count": 16, "blocks": 16}),
    (RECORD, {"command": 0xE8, "blocks": 1, "pio": 1}), (RECORD, {"command": 0xEB, "blocks": 1}),
    (RECORD, {"command": 0x06, "features": 1, "count": 2, "blocks": 2}),
]
#: Faults of a drive: each strikes once at most.
FAULTS = [{}, {}, {"refuse_command": 2}, {"refuse_command": 16}, {"bad_crc": 1}, {"unknown_fis": 1},
          {"wrong_length": 1}, {"short_length": 1}, {"bad_data_crc": 0}, {"refuse_data": 0},
          {"dmat_data": (0, 40)}, {"escape_command": 1}, {"escape_write": (0, 30)},
          {"stuck_write": (0, 30)}, {"mute": frozenset({"command"})}, {"mute": frozenset({"data"})},
          {"mute": frozenset({"activate"})}, {"mute": frozenset({"status"})}]


def heal(behaviour):
    for fault in FAULTS:
        for name in fault:
            vars(behaviour)[name] = vars(Behaviour())[name]


@pytest.mark.parametrize("seed", short([*range(40)], [0, 1, 2]))
def test_random_commands(bench, seed):
    rng = random.Random(seed)
    b = bench(connect(behaviour=Behaviour.random(seed), seed=seed, unit={"health": Health()}),
              **SMALL, commands=True)
    for _ in range(6):
        operation, registers = rng.choice(GOOD)
        fault = rng.choice(FAULTS)
        vars(b.behaviour).update(fault)
        before = len(commands(b))
        data = bytes(512 * registers.get("blocks", 0)) if operation == RECORD else b""
        found = b.command(operation, data=data, **registers)
        heal(b.behaviour)
        assert fault or found.error == Error.NONE, (registers, found.error)
        assert found.outputs["retries"] == 0
        issued = [one for one, _, _ in commands(b)][before:].count(registers["command"])
        assert issued <= 1 and (found.error or issued == 1)
        if found.error == Error.NONE and operation == PLAY:
            assert found.received == 128 * registers["blocks"] and found.lasts == 1
        if rng.random() < 0.4 or fault:
            works(b, clean=False, sectors=3)
