"""`sata-recorder recordings`: what is on a prepared drive."""

import json

import click

from .drive_files import amount, drives_argument, is_wrong, opened, tell_problems


def _time(time):
    return "no time" if time is None else time.strftime("%Y-%m-%d %H:%M:%S %z")


@click.command()
@drives_argument
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
def recordings(drives, as_json):
    """List the recordings on a prepared drive, and the room for more.

    The drive is only read. Several drives are the members of one array, in any order. Exit status: 0, 1 if
    something on it is wrong or cannot be read, 2 for a mistake in the arguments.
    """
    with opened(drives) as drive:
        listed = drive.recordings
        slots = [(slot, drive.state(slot)) for slot in drive.slots]
        taken = dict(drive.taken_names)
    if as_json:
        click.echo(json.dumps({
            "as_prepared": not drive.changes,
            "problems": [*drive.changes, *drive.problems, *drive.source.problems], "notes": drive.source.notes,
            "recordings": [_listed(one) for one in listed],
            "slots": [{"slot": slot.number, "state": state, "lba": slot.lba,
                       "sectors": slot.sectors, "name_taken": slot.number in taken,
                       "why": _why(drive, slot, state)} for slot, state in slots]}, indent=2))
    else:
        _show(drive, listed, slots)
        for number, path in taken.items():
            click.echo(f"slot {number:<4} its recording would be another file {path}: move that away")
        tell_problems(drive)
    if is_wrong(drive):
        click.get_current_context().exit(1)


def _why(drive, slot, state):
    """Why a slot that has no recording takes none; None where that is the whole drive, or it does."""
    return drive.taken[slot.number].text if state == "changed" and slot.number in drive.taken else None


def _show(drive, listed, slots):
    for one in listed:
        click.echo(f"slot {one.slot:<4} {one.path}: {amount(one.bytes)}, {_time(one.created)}"
                   f"{_remarks(one)}")
    free = [slot for slot, state in slots if state == "free"]
    if free:
        click.echo(f"free      {len(free)} of at most {amount(max(one.bytes for one in free))}, "
                   f"next: slot {free[0].number}, LBA {free[0].lba}, {free[0].sectors} sectors")
    else:
        click.echo("free      none")
    for slot, state in slots:
        if state == "changed" and not drive.changes:
            click.echo(f"slot {slot.number:<4} takes no recording: {_why(drive, slot, state)}")


def _remarks(one):
    found = []
    if not one.is_file:
        found.append("no file: not finalised, or deleted")
    if one.log is not None:
        if one.log.lost_words:
            gaps = sum(entry.kind == 1 for entry in one.log.journal)
            found.append(f"{one.log.lost_words:,} words lost, {gaps} gaps listed")
        if one.log.error:
            found.append(f"ended with error {one.log.error}")
        if one.log.lines is not None:
            found.append(one.log.lines.text if one.order is not None else one.log.lines.text_in(one.bytes))
        if one.order is not None:
            found += _order_remarks(one)
        if not one.log.ended:
            found.append("did not end: this is the latest update that the drive has")
    found += one.doubts
    if one.old_bytes:
        found.append(f"its file has {one.old_bytes:,} bytes more, which are old")
    if not one.contiguous:
        found.append(f"in {len(one.extents)} parts")
    if one.valid_bytes < one.bytes:
        found.append(f"only {one.valid_bytes:,} bytes were written")
    return "".join(f"; {text}" for text in found)


def _order_remarks(one):
    order = one.order
    if order.is_recorded:
        return ["a ring, not wrapped"]
    if not one.segments:
        return [f"{order.segments} segments, whose order cannot be read"]
    if order.has_wrapped:
        first = one.segments[0]
        return [f"a ring, its first word is word {first.first_word:,} of {order.words:,}"]
    unknown = order.segments - len(one.segments)
    lacking = f", no entry of the first {unknown}" if unknown else ""
    return [f"{order.segments} segments{lacking}",
            *(f"{part.number}: {amount(part.bytes)}"
              f"{'' if part.entry.is_complete else ', not complete'}" for part in one.segments)]


def _segment(one):
    entry = one.entry
    return {"segment": one.number, "bytes": one.bytes, "first_word": one.first_word,
            "end_word": entry and entry.end,
            "trigger_word": entry.trigger if entry and entry.is_triggered else None,
            "complete": entry and entry.is_complete,
            "extents": [{"lba": part.lba, "sectors": part.sectors} for part in one.extents]}


def _listed(one):
    return {"name": one.name, "path": one.path, "slot": one.slot, "bytes": one.bytes,
            "old_bytes": one.old_bytes,
            "created": None if one.created is None else one.created.isoformat(),
            "is_file": one.is_file, "lost_words": one.log.lost_words if one.log else None,
            "gaps": None if one.log is None else [
                {"word": entry.position, "lost_words": entry.length}
                for entry in one.log.journal if entry.kind == 1],
            **({"lines": one.log.lines.facts} if one.log and one.log.lines else {}),
            **({"mode": one.order.name, "words": one.order.words,
                "segment_count": one.order.segments, "ended": one.log.ended,
                "segments": [_segment(part) for part in one.segments]} if one.order else {}),
            "extents": [{"lba": part.lba, "sectors": part.sectors} for part in one.extents]}
