// One compiled core with its clock loop, as a library with a C interface.
//
// Built together with the core's C++ (sata_recorder.cc: of the package `netlist`, or what Yosys
// writes, then with CXXRTL defined) and with the list of its control ports (ports.inc: CONTROL,
// PULSE, OUTPUT, LANE, STREAM, PLAYED, whichever of them is defined).
// Python is reached through function pointers that the caller supplies: no Python headers needed.
// So is a compiled drive.

#include "bench.h"

#define API extern "C" __attribute__((visibility("default")))

API Bench *bench_create(const Python *python, uint64_t inputs) {
    Bench *bench = new Bench();
    bench->python = *python;
    for (int lane = 0; lane < LANES; lane++)
        bench->apply(lane, inputs);
    return bench;
}

// Bytes in a row of samples; 0 where the core has no fast paths.
API uint64_t bench_row() {
    return Core::BYTES;
}

// The bench takes fast paths from now on, and samples the clocks that none of them does.
API void bench_fast_paths(Bench *bench, FastPaths *paths) {
    bench->way.paths = paths;
}

API int bench_destroy(Bench *bench) {
    int status = LIMIT;
    if (bench->trace && fclose(bench->trace))
        status = NO_TRACE;
#ifdef WAVES
    if (bench->waves && fclose(bench->waves))
        status = NO_WAVES;
#endif
    delete bench;
    return status;
}

API void bench_control(Bench *bench, int control, uint64_t number) {
    bench->control(control, number);
}

// How many edges of the source's clock there are in how many of the core's.
API void bench_source_clock(Bench *bench, uint64_t ticks, uint64_t clocks) {
    bench->ticks = ticks, bench->tick_clocks = clocks;
}

// The words of the source go on with another stall and another mark; what was to come beside them does not.
API void bench_go_on(Bench *bench, uint64_t mark, uint64_t on, uint64_t off) {
    bench->sources[0].mark = mark;
    bench->sources[0].stall.start(on, off);
    if (bench->besides.high)
        bench->control(bench->raised, 0);
    bench->besides = Besides();
}

// `rate_words` 0: no sensor, else so many beats in these clocks of the source. `refill` is a Python callable, asked for
// the chunk with a word.
API int bench_source(Bench *bench, int stream, void *refill, uint64_t count, uint64_t mark, uint64_t on,
                     uint64_t off, uint64_t rate_words, uint64_t rate_clocks, uint64_t depth) {
    Source &source = bench->sources[stream];
    source = Source();
    if (stream == 0)
        bench_go_on(bench, mark, on, off);
    source.mark = mark;
    source.stall.start(on, off);
    source.refill = refill, source.count = count;
    source.sensor.beats = rate_words, source.sensor.clocks = rate_clocks;
    source.sensor.depth = depth / Source::WORDS ? depth / Source::WORDS : 1;    // of one that waits
    return bench->offer(stream) ? LIMIT : FAILED;
}

// A control that is high in one clock of the source, after those that were requested before.
API void bench_beside(Bench *bench, int control, uint64_t word) {
    bench->besides.all.push_back({control, word, 0, 0});
}

// Of those that came, up to `most` triples (control, words accepted before the clock, and with it); returns how many.
API uint64_t bench_came(const Bench *bench, uint64_t *triples, uint64_t most) {
    uint64_t count = bench->besides.came < most ? bench->besides.came : most;
    for (uint64_t n = 0; n < count; n++) {
        const Beside &one = bench->besides.all[n];
        *triples++ = one.control, *triples++ = one.before, *triples++ = one.after;
    }
    return count;
}

// The chunk that was asked for: the words [first, end).
API void bench_chunk(Bench *bench, int stream, const uint32_t *words, uint64_t first, uint64_t end) {
    Source &source = bench->sources[stream];
    source.words = words, source.first = first, source.end = end;
}

// Keeps up to `size` words; `drain` is a Python callable that empties `words` (see bench_drained),
// or null where the room is as large as the size.
API int bench_sink(Bench *bench, uint32_t *words, uint64_t room, void *drain, uint64_t size,
                   uint64_t mark, uint64_t on, uint64_t off) {
    Sink &sink = bench->sink;
    sink = Sink();
    sink.words = words, sink.room = room, sink.drain = drain, sink.size = size, sink.mark = mark;
    sink.armed = true;
    sink.stall.start(on, off);
    return bench->accept() ? LIMIT : FAILED;
}

// How many words the sink's room has, which is empty from now on.
API uint64_t bench_drained(Bench *bench) {
    uint64_t filled = bench->sink.filled;
    bench->sink.filled = 0;
    return filled;
}

API int bench_trace(Bench *bench, const char *path) {
    bench->trace = fopen(path, "wb");
    return bench->trace ? LIMIT : NO_TRACE;
}

// All signals of the core, or its ports only.
API int bench_waves(Bench *bench, const char *path, uint64_t from, uint64_t to, int ports_only) {
#ifdef WAVES
    bench->waves = fopen(path, "wb");
    if (!bench->waves)
        return NO_WAVES;
    bench->waves_from = from, bench->waves_to = to;
    debug_items items;
    bench->core.debug_info(&items, nullptr, "sata_recorder ");
    bench->writer.timescale(1, "ns");
    if (ports_only) {
        bench->writer.add(items, [](const std::string &, const debug_item &item) {
            return (item.flags & (debug_item::INPUT | debug_item::OUTPUT)) != 0;
        });
        return LIMIT;
    }
    // A signal has many names in a scope, one of each Signature it passes: the plainest is shown.
    std::map<std::pair<std::string, const void *>, std::string> shown;
    const auto key = [](const std::string &name, const debug_item &item) {
        return std::make_pair(name.substr(0, name.rfind(' ')), (const void *)item.curr);
    };
    const auto cost = [](const std::string &name) {
        const auto has = [&](const char *part) { return name.find(part) != std::string::npos; };
        return name.size() + (has("$") ? 2000 : 0) + (has("__") ? 1000 : 0);
    };
    for (auto &named : items.table)
        for (auto &part : named.second) {
            std::string &best = shown[key(named.first, part)];
            if (best.empty() || cost(named.first) < cost(best))
                best = named.first;
        }
    bench->writer.add(items, [&](const std::string &name, const debug_item &item) {
        return item.type != debug_item::MEMORY && shown[key(name, item)] == name;
    });
    return LIMIT;
#else
    (void)bench, (void)path, (void)from, (void)to, (void)ports_only;
    return NO_WAVES;
#endif
}

// `drives`, one for each dword port, are Python callables, or the ports that `native` wants.
API int bench_run(Bench *bench, void *const *drives, Native native, uint64_t clocks, int until) {
    return bench->run(drives, native, clocks, until);
}

// In the place of each of `count` numbers of a control the output that is there `clocks` later.
API int bench_table(Bench *bench, void *const *drives, Native native, int control, int output,
                    uint64_t count, uint64_t clocks, uint64_t *numbers) {
    for (uint64_t n = 0; n < count; n++) {
        bench_control(bench, control, numbers[n]);
        int status = bench->run(drives, native, clocks, 0);
        if (status < 0)
            return status;
        numbers[n] = bench->outputs[output];
    }
    return LIMIT;
}

// The numbers of State in engine.py, in its order; those of the sources are sums.
API void bench_state(const Bench *bench, uint64_t *state) {
    uint64_t taken = 0, arrived = 0, lost = 0, backlog = 0, high = 0;
    for (const Source &source : bench->sources) {
        taken += source.taken, arrived += source.sensor.arrived, lost += source.sensor.lost;
        backlog += source.sensor.backlog, high += source.sensor.high;
    }
    constexpr uint64_t words = Source::WORDS;
    const uint64_t numbers[] = {
        bench->cycle, bench->hash, taken, bench->sink.count, bench->sink.lasts, bench->sink.last_at,
        words * arrived, words * lost, words * backlog, words * high};
    memcpy(state, numbers, sizeof numbers);
}

// Words that one stream has given.
API uint64_t bench_taken(const Bench *bench, int stream) {
    return bench->sources[stream].taken;
}

// Writes up to `most` pairs (first word, words) of the sensor's gaps from number `first` on;
// returns how many it wrote. Those of the first source.
API uint64_t bench_gaps(const Bench *bench, uint64_t first, uint64_t *pairs, uint64_t most) {
    const std::deque<Range> &gaps = bench->sources[0].sensor.gaps;
    uint64_t count = 0;
    for (; count < most && first + count < gaps.size(); count++) {
        *pairs++ = Source::WORDS * gaps[first + count].first;
        *pairs++ = Source::WORDS * gaps[first + count].count;
    }
    return count;
}

API const uint64_t *bench_outputs(const Bench *bench) {
    return bench->outputs;
}
