// One compiled core with its clock loop, as a library with a C interface.
//
// Built together with the C++ that Yosys writes for the core (core.cc) and with the list of its
// control ports (ports.inc: CONTROL, PULSE, OUTPUT, whichever of them is defined).
// The generated code is evaluated once a clock: the registers of the inputs are the harness's own
// variables, so the core's outputs of cycle n are read between eval() and commit(), and whatever
// is computed from them is an input of cycle n + 1.
// Python is reached through function pointers that the caller supplies: no Python headers needed.

#include "core.cc"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#ifdef WAVES
#include <cxxrtl/cxxrtl_vcd.h>
#endif

#define API extern "C" __attribute__((visibility("default")))

namespace {

using Core = cxxrtl_design::p_sata__recorder;

struct Python {
    void *(*from_u64)(unsigned long long);
    unsigned long long (*as_u64)(void *);
    void *(*call)(void *callable, void *const *args, size_t count, void *names);
    void (*release)(void *);
    void *(*error)();
    int (*signals)();
};

enum Control {
#define CONTROL(name, port) CONTROL_##name,
#include "ports.inc"
};

enum Output {
#define OUTPUT(name, port) OUTPUT_##name,
#include "ports.inc"
    OUTPUTS
};

enum Event { READY = 1, DONE = 2, ERROR = 4, PHY_RESET = 8, SOURCE = 16, SINK = 32, IDLE = 64 };
enum Result { LIMIT = 0, FAILED = -1, DIVERGED = -2, NO_TRACE = -3, NO_WAVES = -4 };

// Bits of the words that cross the dword port each clock.
constexpr unsigned TX_RESET = 36, RX_VALID = 36, TX_READY = 37, LINK_UP = 38, RX_ERROR = 39;

template<size_t Bits> uint64_t now(const value<Bits> &v) { return v.template get<uint64_t>(); }
template<size_t Bits> uint64_t now(const wire<Bits> &w) { return w.curr.template get<uint64_t>(); }

struct Stall {
    uint64_t on = 1, off = 0, phase = 0;
    void start(uint64_t on_clocks, uint64_t off_clocks) {
        on = on_clocks, off = off_clocks, phase = 0;
    }
    bool flows() {
        bool flow = phase < on;
        phase = phase + 1 == on + off ? 0 : phase + 1;
        return flow;
    }
};

struct Source {
    const uint32_t *words = nullptr;
    uint64_t count = 0, mark = 0, taken = 0;
    bool valid = false;
    Stall stall;
};

struct Sink {
    uint32_t *words = nullptr;
    uint64_t size = 0, mark = 0, count = 0, lasts = 0, last_at = 0;
    bool ready = false, armed = false;
    Stall stall;
};

struct Bench {
    Core core;
    Python python;
    uint64_t cycle = 0, hash = 0xcbf29ce484222325, inputs = 0;
    uint64_t outputs[OUTPUTS] = {};
    Source source;
    Sink sink;
    FILE *trace = nullptr;
#ifdef WAVES
    FILE *waves = nullptr;
    uint64_t waves_from = 0, waves_to = 0;
    vcd_writer writer;
#endif

    void apply(uint64_t word) {
        inputs = word;
        core.p_phy__rx__data.set<uint64_t>(word & 0xffffffff);
        core.p_phy__rx__k.set<uint64_t>(word >> 32 & 15);
        core.p_phy__rx__valid.set<uint64_t>(word >> RX_VALID & 1);
        core.p_phy__tx__ready.set<uint64_t>(word >> TX_READY & 1);
        core.p_phy__link__up.set<uint64_t>(word >> LINK_UP & 1);
        core.p_phy__rx__error.set<uint64_t>(word >> RX_ERROR & 1);
    }

    void fold(uint64_t word) {
        for (unsigned byte = 0; byte < 8; byte++, word >>= 8)
            hash = (hash ^ (word & 0xff)) * 0x100000001b3;
    }

    // Book what crosses the streams in this cycle. Call before commit().
    void transfer() {
        if (source.valid && now(core.p_s__axis__tready)) {
            source.taken++;
            source.valid = false;
        }
        if (sink.ready && now(core.p_m__axis__tvalid)) {
            if (sink.count < sink.size)
                sink.words[sink.count] = now(core.p_m__axis__tdata);
            if (now(core.p_m__axis__tlast))
                sink.lasts++, sink.last_at = sink.count;
            sink.count++;
        }
    }

    // The source's inputs of the next cycle. A word that was offered stays until it is taken.
    void offer() {
        bool flows = source.stall.flows();
        if (!source.valid)
            source.valid = flows && source.taken < source.count;
        core.p_s__axis__tvalid.set<uint64_t>(source.valid);
        core.p_s__axis__tdata.set<uint64_t>(source.valid ? source.words[source.taken] : 0);
    }

    // The sink's input of the next cycle.
    void accept() {
        sink.ready = sink.stall.flows() && sink.armed;
        core.p_m__axis__tready.set<uint64_t>(sink.ready);
    }

    int events() {
        int found = 0;
        if (now(core.p_ready)) found |= READY;
        if (now(core.p_done)) found |= DONE;
        if (now(core.p_error)) found |= ERROR;
        if (now(core.p_phy__reset)) found |= PHY_RESET;
        if (source.taken >= source.mark) found |= SOURCE;
        if (sink.count >= sink.mark) found |= SINK;
        if (!now(core.p_busy)) found |= IDLE;
        return found;
    }

    void snapshot() {
#define OUTPUT(name, port) outputs[OUTPUT_##name] = now(core.port);
#include "ports.inc"
    }

    void end_pulses() {
#define PULSE(name, port) core.port.set<uint64_t>(0);
#include "ports.inc"
    }

    void sample() {
#ifdef WAVES
        if (!waves || cycle < waves_from || cycle >= waves_to)
            return;
        writer.sample(cycle * 10);
        core.p_clk.set<uint64_t>(0);
        writer.sample(cycle * 10 + 5);
        core.p_clk.set<uint64_t>(1);
        fwrite(writer.buffer.data(), 1, writer.buffer.size(), waves);
        writer.buffer.clear();
#endif
    }

    int run(void *drive, uint64_t clocks, int until) {
        int found = 0;
        for (uint64_t n = 0; n < clocks; n++) {
            core.p_clk.set<uint64_t>(1);
            core.prev_p_clk.set<uint64_t>(0);
            if (!core.eval())
                return DIVERGED;
            uint64_t word = now(core.p_phy__tx__data) | now(core.p_phy__tx__k) << 32 |
                            now(core.p_phy__reset) << TX_RESET;
            fold(word);
            fold(inputs);
            if (trace) {
                uint64_t pair[2] = {word, inputs};
                if (fwrite(pair, sizeof pair, 1, trace) != 1)
                    return NO_TRACE;
            }
            sample();
            transfer();
            found = events() & until;
            if (found || n + 1 == clocks)
                snapshot();
            core.commit();
            cycle++;
            end_pulses();
            offer();
            accept();

            void *argument = python.from_u64(word);
            if (!argument)
                return FAILED;
            void *answer = python.call(drive, &argument, 1, nullptr);
            python.release(argument);
            if (!answer)
                return FAILED;
            unsigned long long next = python.as_u64(answer);
            python.release(answer);
            if (next == ~0ull && python.error())
                return FAILED;
            apply(next);
            if ((cycle & 4095) == 0 && python.signals())
                return FAILED;
            if (found)
                return found;
        }
        return LIMIT;
    }
};

} // namespace

API Bench *bench_create(const Python *python, uint64_t inputs) {
    Bench *bench = new Bench();
    bench->python = *python;
    bench->apply(inputs);
    return bench;
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
    switch (control) {
#define CONTROL(name, port) \
    case CONTROL_##name: bench->core.port.set<uint64_t>(number); break;
#include "ports.inc"
    }
}

API void bench_source(Bench *bench, const uint32_t *words, uint64_t count, uint64_t mark,
                      uint64_t on, uint64_t off) {
    Source &source = bench->source;
    source.words = words, source.count = count, source.mark = mark, source.taken = 0;
    source.valid = false;
    source.stall.start(on, off);
    bench->offer();
}

API void bench_sink(Bench *bench, uint32_t *words, uint64_t size, uint64_t mark,
                    uint64_t on, uint64_t off) {
    Sink &sink = bench->sink;
    sink.words = words, sink.size = size, sink.mark = mark;
    sink.count = sink.lasts = sink.last_at = 0;
    sink.armed = words != nullptr;
    sink.stall.start(on, off);
    bench->accept();
}

API int bench_trace(Bench *bench, const char *path) {
    bench->trace = fopen(path, "wb");
    return bench->trace ? LIMIT : NO_TRACE;
}

API int bench_waves(Bench *bench, const char *path, uint64_t from, uint64_t to) {
#ifdef WAVES
    bench->waves = fopen(path, "wb");
    if (!bench->waves)
        return NO_WAVES;
    bench->waves_from = from, bench->waves_to = to;
    debug_items items;
    bench->core.debug_info(&items, nullptr, "sata_recorder ");
    bench->writer.timescale(1, "ns");
    bench->writer.add_without_memories(items);
    return LIMIT;
#else
    (void)bench, (void)path, (void)from, (void)to;
    return NO_WAVES;
#endif
}

API int bench_run(Bench *bench, void *drive, uint64_t clocks, int until) {
    return bench->run(drive, clocks, until);
}

// Counts of the harness: cycle, hash, words the source handed over, words the sink took,
// number of tlast the sink saw, index of the last one.
API void bench_state(const Bench *bench, uint64_t *state) {
    state[0] = bench->cycle;
    state[1] = bench->hash;
    state[2] = bench->source.taken;
    state[3] = bench->sink.count;
    state[4] = bench->sink.lasts;
    state[5] = bench->sink.last_at;
}

API const uint64_t *bench_outputs(const Bench *bench) {
    return bench->outputs;
}
