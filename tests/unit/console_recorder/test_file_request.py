"""When the console's request lets the files stage begin, and when it gives up."""

import pytest
from amaranth.sim import Simulator

from sata_recorder.interface.file import FileError, FileState
from sata_recorder_platforms.console_recorder.file_request import (MISTAKES, PATIENCE, SKIPPED,
                                                                      FileRequest)
from sata_recorder_platforms.console_recorder.messages import Mistake


def starts(states, *, stop=None):
    """The states of the stage, one a clock, in which it is told to start; and the request's mistake
    in the clock of its own ``done``, None if that does not come. ``stop`` is the clock of a stop."""
    request, found, ended = FileRequest(), [], []

    async def run(ctx):
        ctx.set(request.file.state, FileState.RELEASED)
        ctx.set(request.file.error, FileError.FULL)     # of an earlier one
        ctx.set(request.start, 1)
        await ctx.tick()
        ctx.set(request.start, 0)
        for clock, state in enumerate(states):
            ctx.set(request.file.state, state)
            ctx.set(request.stop, clock == stop)
            if ctx.get(request.file.start):
                found.append(state)
            if ctx.get(request.done):
                ended.append(Mistake(ctx.get(request.mistake)))
            await ctx.tick()

    simulator = Simulator(request)
    simulator.add_clock(1e-6)
    simulator.add_testbench(run)
    simulator.run()
    return found, ended[0] if ended else None


@pytest.mark.parametrize("late", range(-3, 4))
def test_a_drive_that_comes_when_patience_ends(late):
    """The start is never in a clock in which the stage would ignore it, and always comes."""
    found, _ = starts([FileState.OFFLINE] * (PATIENCE + late) + [FileState.SEARCHING] * 20
                      + [FileState.READY] * 5)
    assert found in ([FileState.OFFLINE], [FileState.READY])


@pytest.mark.parametrize("state", [FileState.READY, FileState.FULL, FileState.REFUSED])
def test_what_ends_the_search(state):
    assert starts([FileState.OFFLINE, *[FileState.SEARCHING] * 9, state, state])[0] == [state]


def test_a_search_without_end_can_be_stopped():
    states = [*[FileState.OFFLINE] * 5, *[FileState.SEARCHING] * 50] * 3 + [FileState.RELEASED] * 3
    assert starts(states, stop=100) == ([], Mistake.EMPTY)
    assert starts(states) == ([], None)


def test_every_error_is_told():
    """But for those that the console cannot cause, and one of a core that passes over sectors."""
    assert {*FileError} - {*MISTAKES} - {*SKIPPED} == {FileError.NONE, FileError.NOT_IN_THIS_MODE,
                                                        FileError.RELEASED}
