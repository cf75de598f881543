// The core, the clock loop around it, and what is called in each clock.
//
// The core is evaluated once a clock: the registers of the inputs are the bench's own variables, so
// its outputs of cycle n are read between clock() and commit(), and whatever is computed from them
// is an input of cycle n + 1.

#include "bench_ports.h"

#ifdef CXXRTL
#include "cxxrtl_core.h"
#else
#include "sata_recorder.cc"
#endif
#include "fast_path.h"
#include "streams.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#ifdef WAVES
#include <cxxrtl/cxxrtl_vcd.h>
using cxxrtl::vcd_writer;
#endif

namespace {

struct Python {
    void *(*from_u64)(unsigned long long);
    unsigned long long (*as_u64)(void *);
    void *(*call)(void *callable, void *const *args, size_t count, void *names);
    void (*release)(void *);
    void *(*error)();
    int (*signals)();
};

enum Event { READY = 1, DONE = 2, ERROR = 4, PHY_RESET = 8, SOURCE = 16, SINK = 32, IDLE = 64, QUEUE = 128 };
enum Result { LIMIT = 0, FAILED = -1, DIVERGED = -2, NO_TRACE = -3, NO_WAVES = -4 };

// Bits of the words that cross the dword port each clock.
constexpr uint32_t SOURCE_MASK = SOURCE_BITS < 32 ? (1u << SOURCE_BITS % 32) - 1 : ~0u;
constexpr unsigned TX_RESET = 36, RX_VALID = 36, TX_READY = 37, LINK_UP = 38, RX_ERROR = 39;

// A drive that is called without Python: -1 and a Python exception where it fails.
typedef int (*Native)(void *port, uint64_t core, uint64_t *inputs);

struct Bench {
    Core core;
    Way way;
    Python python;
    uint64_t cycle = 0, hash = 0, inputs[LANES] = {};
    uint64_t outputs[OUTPUTS] = {};
    Source sources[STREAMS];
    Besides besides;            // the first one
    int raised = 0;             // the control of the one that is high
    Sink sink;
    bool flowing = false;       // the core takes the words of a recording
    uint64_t ticks = 1, tick_clocks = 1, tick_phase = 0;    // edges of the source's clock in clocks of the core
    FILE *trace = nullptr;
#ifdef WAVES
    FILE *waves = nullptr;
    uint64_t waves_from = 0, waves_to = 0;
    vcd_writer writer;
#endif

    void apply(int lane, uint64_t word) {
        inputs[lane] = word;
        switch (lane) {
#define LANE(n, port)                                                                              \
    case LANE_##n:                                                                                 \
        core.port##__rx__data.set<uint64_t>(word & 0xffffffff);                                    \
        core.port##__rx__k.set<uint64_t>(word >> 32 & 15);                                         \
        core.port##__rx__valid.set<uint64_t>(word >> RX_VALID & 1);                                \
        core.port##__tx__ready.set<uint64_t>(word >> TX_READY & 1);                                \
        core.port##__link__up.set<uint64_t>(word >> LINK_UP & 1);                                  \
        core.port##__rx__error.set<uint64_t>(word >> RX_ERROR & 1);                                \
        break;
#include "ports.inc"
        }
    }

    // What the core sends in this cycle.
    uint64_t sent(int lane) const {
        switch (lane) {
#define LANE(n, port)                                                                              \
    case LANE_##n:                                                                                 \
        return now(core.port##__tx__data) | now(core.port##__tx__k) << 32 |                        \
               now(core.port##__reset) << TX_RESET;
#include "ports.inc"
        }
        return 0;
    }

    // The hash of the trace; engine.fold() is the same in Python.
    void fold(uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }

    // Book what crosses the streams in this cycle. Call before commit().
    void transfer() {
#if SOURCE_STAGE
        flowing = now(core.p_source__flowing);
#endif
        if (!SOURCE_CLOCK)
            give_all();
        if (sink.ready && now(core.p_m__axis__tvalid)) {
            bool last = now(core.p_m__axis__tlast);
#define PLAYED(n, port) sink.take(now(core.port), last && BEAT_##n == BEAT_WORDS - 1);
#include "ports.inc"
        }
    }

    void control(int number, uint64_t value) {
        switch (number) {
#define CONTROL(name, port) \
        case CONTROL_##name: core.port.set<uint64_t>(value); break;
#include "ports.inc"
        }
    }

    // What is beside the stream in the next clock of the source.
    void show_beside() {
        if (besides.high)
            control(raised, 0);
        besides.high = !besides.high && besides.due(sources[0].taken);
        if (besides.high)
            control(raised = besides.all[besides.came].control, 1);
    }

    // Whether the core takes a beat of a stream.
    bool takes(int stream) const {
        switch (stream) {
#define STREAM(n, port) case STREAM_##n: return now(core.port##__tready);
#include "ports.inc"
        }
        return false;
    }

    // A clock of the sources has passed.
    void give_all() {
        uint64_t before = sources[0].taken;
        for (int stream = 0; stream < STREAMS; stream++)
            give(sources[stream], takes(stream));
        if (besides.high)
            besides.pass(before, sources[0].taken);
    }

    void give(Source &source, bool taken) {
        if (source.valid) {
            if (taken)
                source.take();
            else
                source.refuse();
        }
        if (source.sensor.beats)
            source.sense(SOURCE_STAGE ? flowing : taken);
    }

    // The edges of the source's clock up to that of the core.
    bool tick() {
#if SOURCE_CLOCK
        for (tick_phase += ticks; tick_phase >= tick_clocks; tick_phase -= tick_clocks) {
            core.tick();
            give_all();
            core.ticked();
            if (!offer_all())
                return false;
            show_beside();
        }
        return true;
#else
        if (!offer_all())
            return false;
        show_beside();
        return true;
#endif
    }

    void show(int stream) {
        const Source &source = sources[stream];
#if SOURCE_BITS <= 32
        switch (stream) {
#define STREAM(n, port)                                                                            \
    case STREAM_##n:                                                                               \
        core.port##__tvalid.set<uint64_t>(source.valid);                                           \
        core.port##__tdata.set<uint64_t>(source.valid ? source.data[0] & SOURCE_MASK : 0);         \
        break;
#include "ports.inc"
        }
#else
        core.p_s__axis__tvalid.set<uint64_t>(source.valid);
#if defined(CXXRTL)
        for (unsigned word = 0; word < Source::WORDS; word++)
            core.p_s__axis__tdata.data[word] = source.valid ? source.data[word] : 0;
#else
        core.p_s__axis__tdata.set<uint64_t>(source.valid ? source.data[0] | (uint64_t)source.data[1] << 32 : 0);
#if SOURCE_BITS > 64
        core.p_s__axis__tdata__64.set<uint64_t>(source.valid ? source.data[2] | (uint64_t)source.data[3] << 32 : 0);
#endif
#endif
#endif
    }

    bool offer_all() {
        for (int stream = 0; stream < STREAMS; stream++)
            if (!offer(stream))
                return false;
        return true;
    }

    // The inputs of a stream in the next cycle. A word that was offered stays until it is taken.
    bool offer(int stream) {
        Source &source = sources[stream];
        bool flows = source.stall.flows();
        if (source.valid) {
            if (Source::PARTS > 1)
                show(stream);
            return true;
        }
        if (flows && source.has()) {
            uint64_t next = source.next();
            if (next >= source.end && !fetch(source, next))
                return false;
            source.load(source.words + (next - source.first));
            source.valid = true;
        }
        show(stream);
        return true;
    }

    // Python supplies the chunk that has the word `index`.
    bool fetch(const Source &source, uint64_t index) {
        void *argument = python.from_u64(index);
        if (!argument)
            return false;
        void *answer = python.call(source.refill, &argument, 1, nullptr);
        python.release(argument);
        if (!answer)
            return false;
        python.release(answer);
        return true;
    }

    // The sink's input of the next cycle.
    bool accept() {
        if (sink.filled == sink.room && sink.drain) {
            void *answer = python.call(sink.drain, nullptr, 0, nullptr);
            if (!answer)
                return false;
            python.release(answer);
        }
        sink.ready = sink.stall.flows() && sink.armed;
        core.p_m__axis__tready.set<uint64_t>(sink.ready);
        return true;
    }

    // The answer of a lane's drive to `word`: the inputs of the next cycle.
    bool ask(int lane, void *drive, Native native, uint64_t word) {
        uint64_t answer;
        if (native) {
            if (native(drive, word, &answer))
                return false;
        } else {
            void *argument = python.from_u64(word);
            if (!argument)
                return false;
            void *number = python.call(drive, &argument, 1, nullptr);
            python.release(argument);
            if (!number)
                return false;
            answer = python.as_u64(number);
            python.release(number);
            if (answer == ~0ull && python.error())
                return false;
        }
        apply(lane, answer);
        return true;
    }

    // Whether each source has come to its mark.
    bool gave_all() const {
        for (const Source &source : sources)
            if (source.taken < source.mark)
                return false;
        return true;
    }

    int events() {
        int found = 0;
        if (now(core.p_ready)) found |= READY;
        if (now(core.p_done)) found |= DONE;
        if (now(core.p_error)) found |= ERROR;
        if (now(core.p_phy__reset)) found |= PHY_RESET;
        if (gave_all()) found |= SOURCE;
        if (sink.count >= sink.mark) found |= SINK;
        if (!now(core.p_busy)) found |= IDLE;
#if QUEUE_PINS
        if (now(core.p_queue__ready)) found |= QUEUE;
#endif
        return found;
    }

    void snapshot() {
        core.settle();
#define OUTPUT(name, port) outputs[OUTPUT_##name] = now(core.port);
#include "ports.inc"
    }

    void end_pulses() {
#define PULSE(name, port) core.port.set<uint64_t>(0);
#include "ports.inc"
    }

    bool sample() {
#ifdef WAVES
        if (!waves || cycle < waves_from || cycle >= waves_to)
            return true;
        writer.sample(cycle * 10);
        core.p_clk.set<uint64_t>(0);
        writer.sample(cycle * 10 + 5);
        core.p_clk.set<uint64_t>(1);
        size_t size = writer.buffer.size();
        if (fwrite(writer.buffer.data(), 1, size, waves) != size)
            return false;
        writer.buffer.clear();
#endif
        return true;
    }

    int run(void *const *drives, Native native, uint64_t clocks, int until) {
        for (uint64_t n = 0; n < clocks; n++) {
            if (!way.clock(core))
                return DIVERGED;
            uint64_t words[LANES];
            for (int lane = 0; lane < LANES; lane++) {
                uint64_t word = words[lane] = sent(lane);
                fold(word);
                fold(inputs[lane]);
                if (trace) {
                    uint64_t pair[2] = {word, inputs[lane]};
                    if (fwrite(pair, sizeof pair, 1, trace) != 1)
                        return NO_TRACE;
                }
            }
            if (!sample())
                return NO_WAVES;
            transfer();
            int found = until ? events() & until : 0;
            if (found || n + 1 == clocks)
                snapshot();
            core.commit();
            cycle++;
            end_pulses();
            if (!tick() || !accept())
                return FAILED;
            for (int lane = 0; lane < LANES; lane++)
                if (!ask(lane, drives[lane], native, words[lane]))
                    return FAILED;
            if ((cycle & 4095) == 0 && python.signals())
                return FAILED;
            if (found)
                return found;
        }
        return LIMIT;
    }
};

} // namespace
