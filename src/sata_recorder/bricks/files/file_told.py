"""What the log and the directory state about a recording, and the parts that write it into their sectors."""

from amaranth.hdl import Mux
from amaranth.lib.wiring import connect, flipped

from .cluster_split import ClusterSplit
from .directory_edit import DirectoryEdit
from .file_name import FileName
from .sector_memory import SectorMemory

__all__ = ["tell_file"]


def tell_file(m, core, searches, time, is_dated, transfer, search, end, length, log, *, long_log,
              long_sectors=False):
    """Makes those parts, and connects them; what they state is stable from the end of a recording on."""
    m.submodules.memory = memory = SectorMemory(long_log=long_log, long_sectors=long_sectors)
    m.submodules.split = split = ClusterSplit()
    m.submodules.edit = edit = DirectoryEdit()
    m.submodules.name = name = FileName()
    connect(m, transfer.memory, memory.transfer)
    connect(m, log.memory, memory.log)
    connect(m, edit.memory, memory.directory)
    connect(m, log.journal, flipped(core.journal))
    connect(m, log.identify, flipped(core.identify))
    facts = log.facts
    m.d.comb += [
        log.start.eq(end.write_log), end.log_written.eq(log.done),
        split.start.eq(end.split), end.split_done.eq(split.done), end.beyond.eq(split.beyond),
        edit.start.eq(end.edit), end.edited.eq(edit.done),
        split.bytes.eq(Mux(searches, search.logged_bytes, length.bytes)),
        split.cluster_shift.eq(search.cluster_shift),
        split.first_cluster.eq(search.place.first_cluster),
        split.clusters.eq(search.place.clusters),
        edit.bytes.eq(split.bytes),
        edit.time.eq(Mux(searches, search.logged_time, time)),
        edit.first_cluster.eq(search.place.first_cluster),
        name.is_dated.eq(Mux(searches, search.logged_dated, is_dated)),
        edit.name_length.eq(name.length), name.start.eq(end.name), end.named.eq(name.done), name.time.eq(edit.time),
        name.number.eq(search.number), edit.name_hash.eq(name.hash),
        name.pair.eq(edit.name_pair), edit.characters.eq(name.characters),
        edit.unused_cluster.eq(split.unused_cluster),
        edit.unused_bytes.eq(split.unused_bytes),
        length.first_lba.eq(search.place.lba), length.sectors.eq(search.place.sectors),
        facts.number.eq(search.number), facts.lba.eq(search.place.lba),
        facts.bytes.eq(length.bytes), facts.time.eq(time), facts.is_dated.eq(is_dated),
        facts.error.eq(core.status.error),
        facts.lost_words.eq(core.counters.dropped),
        facts.high_water.eq(core.counters.high_water),
    ]
