"""Drives with logical sectors of 4096 bytes in a campaign: plans for them, and what must hold."""

from ...core.drive_port import Error
from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_WORDS

#: Sectors of 512 bytes in a logical one.
LENGTHS = 1, LONG_SECTOR_BLOCKS
#: A last logical sector that the steps of a plan leave alone.
CLEAN_LBA = 384


def _up(number):
    """The next multiple of a logical sector."""
    return -(-number // LONG_SECTOR_BLOCKS) * LONG_SECTOR_BLOCKS


def fitted(step, chunks):
    """The step with an extent, and a space of its mode, of whole logical sectors; a part has room for
    ``chunks`` of them after the words of its segment."""
    sectors, recording = _up(step.sectors), step.recording
    if recording is not None:
        changes = {name: _up(value) for name, value in (
            ("position", recording.position), ("chunk", recording.chunk))}
        if recording.mode == "TRIGGERED":
            words = -(-recording.words // SECTOR_WORDS)
            changes["part"] = _up(max(recording.part, words + chunks * changes["chunk"]))
            sectors = max(sectors, changes["part"])
        else:
            changes["position"] = min(changes["position"], sectors - LONG_SECTOR_BLOCKS)
        recording = recording.model_copy(update=changes)
    lba = min(_up(step.lba), CLEAN_LBA - sectors)
    return step.model_copy(update={"lba": lba, "sectors": sectors, "recording": recording})


def splits(step):
    """Whether the core must refuse the step on such a drive."""
    if step.operation == "flush":
        return False
    numbers = [step.lba, step.sectors]
    recording = step.recording
    if recording is not None:
        numbers = [step.lba, recording.chunk if recording.mode == "TRIGGERED" else recording.position]
        used = recording.room(step.sectors)
        if recording.mode == "FIXED" and recording.words:
            used = min(_up(-(-recording.words // SECTOR_WORDS)) + recording.position, used)
        numbers.append(used)
    return any(number % LONG_SECTOR_BLOCKS for number in numbers)


def check_whole(step, report, outputs, taken):
    """Texts of what is wrong with the logical sectors; ``taken`` words of the stream."""
    if splits(step):
        if report.error not in (Error.SECTOR_SIZE, Error.NOT_READY, Error.ZERO_SECTORS):
            yield f"sector: an extent that splits a logical one ended with {Error(report.error).name}"
        if outputs["words"] or taken or report.done or report.doubt:
            yield (f"sector: {taken} words taken, {report.done} sectors done of an extent that splits a "
                   "logical one")
        return
    if report.error == Error.SECTOR_SIZE:
        yield "sector: an extent of whole logical ones was refused"
    for name, number in (("done", report.done), ("skipped", report.skipped),
                         ("named by the error", outputs["error_lba"])):
        if number % LONG_SECTOR_BLOCKS and number != (1 << 48) - 1:
            yield f"sector: {number} {name}, no whole logical ones"
    whole = {lba // LONG_SECTOR_BLOCKS for lba in report.doubt}
    if len(report.doubt) != LONG_SECTOR_BLOCKS * len(whole):
        yield "sector: a part of a logical one is in doubt"
