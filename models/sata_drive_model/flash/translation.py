"""A flash translation layer: a map of pages, garbage collection, wear levelling, TRIM, and a cut of the power.

The loop over the units that the host writes is written out, because a drive does ten million in a simulated minute.
"""

import random
from array import array
from collections import deque

from .blocks import Blocks
from .rules import Rules, Work
from .unit_map import NOWHERE, UnitMap
from .victims import VICTIMS


class ReadOnly(Exception):
    """Too many blocks have failed: the drive takes no write any more."""


class Unreadable(Exception):
    """A cut of the power has damaged the page of this unit."""


class Stream:
    """A block that is being filled: ``block``, -1 before the first one, of which ``place`` slots are filled.
    ``begin`` finds a new block."""

    __slots__ = ("block", "place", "begin")

    def __init__(self, slots, begin):
        self.block, self.place, self.begin = NOWHERE, slots, begin


class Translation:
    """The flash of a drive without an SLC cache, as its host sees it, unit by unit.

    Parameters: ``rules`` sizes and rules; ``endurance`` erases after which each block fails, None: never;
    ``careful``: a cut of the power can be simulated, which takes time and memory; ``content``: what was written is
    kept, too, for :meth:`read`. Members: ``rules``; ``blocks``; ``map``; ``work``; ``read_only``; ``damaged`` units.
    """

    def __init__(self, rules: Rules, *, endurance: list | None = None, careful: bool = False,
                 content: bool = False) -> None:
        self.rules = rules
        self.blocks = Blocks(rules.blocks, rules.slots, cache=rules.cache_blocks, level_free=rules.level_free,
                             endurance=endurance)
        self.victims = VICTIMS[rules.victim](self.blocks, rules.seed)
        self.map = UnitMap(rules.chunks, self.blocks, self.victims)
        self.work = Work()
        self.read_only = False
        self.damaged: set[int] = set()
        self._careful = careful
        self._content: dict | None = {} if content else None
        self._host = Stream(rules.slots, self._begin_host)
        self._copies = Stream(rules.slots, self._begin)
        self._pending: deque = deque(maxlen=rules.ram_slots)   # (unit, slot before, slot) not yet programmed
        self._touched = array("q", [0]) * len(self.blocks)  # the write that last took data from the block, from 1 on
        self._writes = 0
        self._stale: dict = {}        # trimmed unit to the slot with its former data
        self._rng = random.Random(rules.seed)

    # The host -------------------------------------------------------------------------------------

    def write(self, unit, content=None):
        """The host writes one unit. Raises :class:`ReadOnly`."""
        self.write_all((unit,))
        if self._content is not None:
            self._content[self.map.slot(unit)] = content

    def write_all(self, units):
        """The host writes these units one by one; raises :class:`ReadOnly`."""
        self._put(units, self._host)

    def write_run(self, start, count):
        """The host writes ``count`` units from ``start`` on in order; raises :class:`ReadOnly`."""
        self._put_run(start, count, self._host)

    def _put(self, units, stream):
        slots, chunks, owners, valid = self.rules.slots, self.map.chunks, self.map.owners, self.blocks.valid
        careful, pending, touched, damaged = self._careful, self._pending, self._touched, self.damaged
        victims, writes, count, fresh = self.victims, self._writes, 0, 0
        block, place = self._ready(stream)
        limit, row, base = victims.limit, owners[block], block * slots
        for unit in units:
            if place == slots:
                stream.place, self._writes = place, writes
                self.work.host += count
                self.map.mapped += fresh
                count = fresh = 0
                block, place = self._ready(stream)
                limit, row, base = victims.limit, owners[block], block * slots
            chunk = unit // slots
            table = chunks[chunk]
            if table.__class__ is not array:
                table = self.map.table(chunk)
            within = unit - chunk * slots
            before = table[within]
            writes += 1
            if before >= 0:
                former = before // slots
                owners[former][before - former * slots] = NOWHERE
                held = valid[former] = valid[former] - 1
                if held <= limit:
                    victims.fewer(former, held)
                if careful:
                    touched[former] = writes
            else:
                fresh += 1
            table[within] = base + place
            row[place] = unit
            if careful:
                pending.append((unit, before, base + place))
                damaged.discard(unit)
            place += 1
            count += 1
        stream.place, self._writes = place, writes
        self.work.host += count
        self.map.mapped += fresh

    def _put_run(self, start, count, stream):
        """Whole chunks are written at once where a block is begun with them, and so is what goes to one block."""
        slots, end = self.rules.slots, start + count
        while start < end:
            whole = not self._careful and not start % slots and end - start >= slots
            if whole and stream.place in (0, slots):
                block, _ = self._ready(stream)
                self.map.drop_chunk(start // slots)
                self.map.place_chunk(start // slots, block)
                stream.place = slots
                self.work.host += slots
                start += slots
                continue
            stop = min(end, start - start % slots + slots)
            if self._careful:
                self._put(range(start, stop), stream)
            else:
                self._put_part(start, stop - start, stream)
            start = stop

    def _put_part(self, start, count, stream):
        """``count`` units of one chunk."""
        while count:
            block, place = self._ready(stream)
            part = min(count, self.rules.slots - place)
            self.map.place_run(start, part, block, place)
            stream.place = place + part
            self._writes += part
            self.work.host += part
            start, count = start + part, count - part

    def trim(self, start, count):
        """The host needs the data of these units no more."""
        slots, end = self.rules.slots, start + count
        while start < end:
            if not self._careful and not start % slots and end - start >= slots:
                self.work.trimmed += self.map.drop_chunk(start // slots)
                start += slots
                continue
            before = self.map.drop(start)
            if before >= 0:
                self.work.trimmed += 1
                self._writes += 1
                self._touched[before // slots] = self._writes
                if self._careful:
                    self._pending.append((start, before, NOWHERE))
                if self.rules.trim_reads == "any":
                    self._stale[start] = before
            self.damaged.discard(start)
            start += 1

    def flush(self):
        """FLUSH CACHE: all that was written is programmed; the rest of a page begun is lost."""
        self._pending.clear()
        for stream in self._streams():
            padding = -stream.place % self.rules.page_slots
            self.work.padded += padding
            stream.place += padding

    def read(self, unit):
        """What the host wrote to a unit; None: zeros, because it was trimmed or never written. Raises
        :class:`Unreadable`."""
        if unit in self.damaged:
            raise Unreadable(unit)
        slot = self.map.slot(unit)
        if slot < 0 and self._rng.random() < 0.5:
            slot = self._stale.get(unit, NOWHERE)
        return self._content.get(slot) if slot >= 0 else None

    # Blocks ---------------------------------------------------------------------------------------

    @property
    def open_blocks(self):
        """Those that are being filled."""
        return {stream.block for stream in (*self._streams(), self._copies) if stream.block >= 0}

    def _streams(self):
        """The streams of the host's data."""
        return (self._host,)

    def _ready(self, stream):
        """The block of a stream and how much of it is filled, less than all of it."""
        if stream.place == self.rules.slots:
            self._close(stream)
            stream.block = stream.begin()
            stream.place = 0
            self.map.begin(stream.block)
        return stream.block, stream.place

    def _begin_host(self):
        if self.read_only:
            raise ReadOnly
        self._make_room()
        return self._begin()

    def _begin(self):
        if not self.blocks.free:
            self._refuse()
        return self.blocks.take()

    def _close(self, stream):
        if stream.block >= 0:
            self._finish(stream.block)
        stream.block, stream.place = NOWHERE, self.rules.slots

    def _finish(self, block):
        self.blocks.close(block, self.map.held(block))
        self._touched[block] = self._writes
        self.victims.closed(block)

    def _make_room(self):
        """Collects until more than ``free_low`` blocks are free. Raises :class:`ReadOnly`."""
        blocks, low = self.blocks, self.rules.free_low
        while blocks.free <= low:
            victim = self.victims.choose()
            if victim < 0 or blocks.valid[victim] >= self.rules.slots and self.rules.victim != "fifo":
                self._refuse()
            if blocks.valid[victim]:
                self.work.copied += self._empty(victim, self._copies)
            self._erase(victim)
            if blocks.bad > self.rules.most_bad:
                self._refuse()

    def _refuse(self):
        self.read_only = True
        raise ReadOnly

    def _empty(self, block, stream):
        """Copies what is current in a block to a stream; returns how much that was."""
        units, done, slots = self.map.units(block), 0, self.rules.slots
        try:
            while done < len(units):
                target, place = self._ready(stream)
                part = units[done:done + slots - place]
                self._copy_content(part, target * slots + place)
                self.map.move(part, target, place)
                done += len(part)
                stream.place = place + len(part)
        except ReadOnly:
            self.map.drop_copies(block)
            raise
        return done

    def _copy_content(self, units, slot):
        if self._content is not None:
            for number, unit in enumerate(units):
                self._content[slot + number] = self._content.get(self.map.slot(unit))

    def _erase(self, block):
        self._wipe(block)
        if self.rules.level_spread is not None:
            self._level(self.blocks.erases[block])

    def _wipe(self, block):
        self._forget(block)
        self.blocks.erased(block)
        self.work.erases += 1

    def _forget(self, block):
        """The data of a block are gone."""
        self._program(self._touched[block])
        if self._content is not None:
            for slot in range(block * self.rules.slots, (block + 1) * self.rules.slots):
                self._content.pop(slot, None)
        if self._stale:
            self._stale = {unit: slot for unit, slot in self._stale.items() if slot // self.rules.slots != block}
        self.map.forget(block)

    def _level(self, most):
        """Moves cold data off the blocks that were erased far less than ``most`` times, onto the most worn."""
        blocks, slots = self.blocks, self.rules.slots
        while most - blocks.least > self.rules.level_spread and blocks.free > 1:
            if self._copies.block >= 0 and blocks.erases[self._copies.block] == blocks.least:
                self._close(self._copies)   # it may be filled too slowly ever to be full
            cold = blocks.coldest(most - self.rules.level_spread)
            if cold < 0:
                return
            if blocks.valid[cold]:
                units = self.map.units(cold)
                block = blocks.take_most_worn()
                self.map.begin(block)
                self._copy_content(units, block * slots)
                self.map.move(units, block, 0)
                self._finish(block)
                self.work.moved += len(units)
            self._wipe(cold)

    # A cut of the power ---------------------------------------------------------------------------

    def cut_power(self) -> frozenset:
        """The power fails and returns: the units that are not what the host wrote last."""
        if not self._careful:
            raise ValueError("cut_power: only with careful = True")
        lost, programming = set(), NOWHERE
        if self.rules.protection != "full":
            while self._pending:
                unit, before, slot = self._pending.pop()
                self._undo(unit, before, slot)
                lost.add(unit)
                programming = slot if slot >= 0 else programming
        damaged = self._damage(programming) if self.rules.protection == "none" and programming >= 0 else set()
        self._pending.clear()
        self._stale.clear()
        for stream in (*self._streams(), self._copies):
            self._close(stream)
        self.victims.forget()
        return frozenset(lost | damaged)

    def _program(self, write):
        """Everything up to this write is programmed: the data before it are about to be erased."""
        pending = self._pending
        first = self._writes - len(pending) + 1
        while pending and first <= write:
            pending.popleft()
            first += 1

    def _undo(self, unit, before, slot):
        """A write or a TRIM that was in RAM never happened."""
        if slot >= 0:
            self.map.drop(unit)
            if self._content is not None:
                self._content.pop(slot, None)
        if before >= 0:
            self.map.put(unit, before)

    def _damage(self, slot):
        """What the page that was being programmed, with this slot, takes with it: the page on the same cells."""
        rules = self.rules
        block, within = divmod(slot, rules.slots)
        page = within // rules.page_slots
        if not rules.pair_pages or block >= rules.blocks or page // rules.pair_pages % 2 == 0:
            return set()
        begin = block * rules.slots + (page - rules.pair_pages) * rules.page_slots
        found = {self.map.unit(one) for one in range(begin, begin + rules.page_slots)} - {NOWHERE}
        for unit in found:
            self.map.drop(unit)
        self.damaged |= found
        return found
