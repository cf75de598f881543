// A compiled design with dword ports and a UART, with the clock loop around it, as a library with
// a C interface. Built together with the design's C++, top.cc. The build defines DRIVES, and SOURCE_CLOCK where the
// design has that port.
//
// The design is evaluated once a clock: what is computed from its outputs of cycle n is an input of
// cycle n + 1. The lines of the UART have the levels and bit times of real ones.

#include "top.cc"

#include <cstring>
#include <deque>
#include <string>

#define API extern "C" __attribute__((visibility("default")))

namespace {

// Bits of the words that cross the dword port each clock; beside those, the generation.
constexpr unsigned TX_RESET = 36, RX_VALID = 36, TX_READY = 37, LINK_UP = 38, RX_ERROR = 39;
constexpr unsigned START_DATA_STOP = 10;

// The drive: -1 where it fails.
typedef int (*Drive)(void *port, uint64_t core, uint64_t *inputs);

// The line to the design: 1 start bit, 8 data bits, 1 stop bit.
struct Speaker {
    std::deque<uint8_t> bytes;
    unsigned divisor = 8, bits = 0, left = 0, shift = 0;

    bool idle() const { return !bits && bytes.empty(); }

    bool level() {
        if (!bits) {
            if (bytes.empty())
                return true;
            shift = bytes.front() << 1 | 0x200;
            bytes.pop_front();
            bits = START_DATA_STOP, left = divisor;
        }
        bool now = shift & 1;
        if (!--left) {
            shift >>= 1, bits--;
            left = divisor;
        }
        return now;
    }
};

// The line from the design, sampled in the middle of each bit.
struct Listener {
    std::string bytes;
    unsigned divisor = 8, bits = 0, left = 0, shift = 0, faults = 0;

    bool idle() const { return !bits; }

    void clock(bool level) {
        if (!bits) {
            if (!level)
                bits = START_DATA_STOP - 1, left = divisor + divisor / 2, shift = 0;
            return;
        }
        if (--left)
            return;
        left = divisor;
        if (--bits)
            shift = shift >> 1 | unsigned(level) << 7;
        else if (level)
            bytes.push_back(char(shift));
        else
            faults++;
    }
};

// The dword ports, each with a drive: PHY(number, name). The build defines DRIVES.
#if DRIVES > 1
#define PHYS_2 PHY(1, phy1)
#else
#define PHYS_2
#endif
#if DRIVES > 2
#define PHYS_3 PHY(2, phy2)
#else
#define PHYS_3
#endif
#if DRIVES > 3
#define PHYS_4 PHY(3, phy3)
#else
#define PHYS_4
#endif
#define PHYS PHY(0, phy) PHYS_2 PHYS_3 PHYS_4

struct Board {
    Core core;
    Speaker speaker;
    Listener listener;
    uint64_t cycle = 0, talked = 0;
    uint64_t ticks = 0, tick_clocks = 1, tick_phase = 0;    // edges of the source's clock in those of the core
    bool link = false, activity = false, error = false;

    void apply(const uint64_t *words) {
#define PHY(n, phy)                                                                                \
    core.p_##phy##____rx__data.set<uint64_t>(words[n] & 0xffffffff);                               \
    core.p_##phy##____rx__k.set<uint64_t>(words[n] >> 32 & 15);                                    \
    core.p_##phy##____rx__valid.set<uint64_t>(words[n] >> RX_VALID & 1);                           \
    core.p_##phy##____tx__ready.set<uint64_t>(words[n] >> TX_READY & 1);                           \
    core.p_##phy##____link__up.set<uint64_t>(words[n] >> LINK_UP & 1);                             \
    core.p_##phy##____rx__error.set<uint64_t>(words[n] >> RX_ERROR & 1);
        PHYS
#undef PHY
    }

    bool run(const Drive *drives, void *const *ports, uint64_t clocks) {
        uint64_t words[DRIVES], answers[DRIVES];
        for (uint64_t n = 0; n < clocks; n++) {
            core.p_uart__rx.set<uint64_t>(speaker.level());
            core.clock();
#define PHY(n, phy)                                                                                \
    words[n] = now(core.p_##phy##____tx__data) | now(core.p_##phy##____tx__k) << 32 |              \
               now(core.p_##phy##____reset) << TX_RESET;
            PHYS
#undef PHY
            listener.clock(now(core.p_uart__tx));
            if (n + 1 == clocks) {
                link = now(core.p_link);
                activity = now(core.p_activity);
                error = now(core.p_error);
            }
            core.commit();
            cycle++;
#if SOURCE_CLOCK
            for (tick_phase += ticks; tick_phase >= tick_clocks; tick_phase -= tick_clocks) {
                core.tick();
                core.ticked();
            }
#endif
            if (!speaker.idle() || !listener.idle())
                talked = cycle;
            for (unsigned lane = 0; lane < DRIVES; lane++)
                if (drives[lane](ports[lane], words[lane], &answers[lane]))
                    return false;
            apply(answers);
        }
        return true;
    }
};

} // namespace

API Board *board_create(unsigned divisor, unsigned generation) {
    Board *board = new Board();
    board->speaker.divisor = board->listener.divisor = divisor;
#define PHY(n, phy) board->core.p_##phy##____generation.set<uint64_t>(generation);
    PHYS
#undef PHY
    board->core.p_uart__rx.set<uint64_t>(1);
    return board;
}

// The clock of the source has `ticks` edges in `clocks` of the core.
API void board_source_clock(Board *board, uint64_t ticks, uint64_t clocks) {
    board->ticks = ticks;
    board->tick_clocks = clocks;
}

API void board_destroy(Board *board) {
    delete board;
}

API void board_send(Board *board, const char *bytes, uint64_t count) {
    board->speaker.bytes.insert(board->speaker.bytes.end(), bytes, bytes + count);
}

// Moves up to `room` bytes that the design has sent into `bytes`; returns how many.
API uint64_t board_receive(Board *board, char *bytes, uint64_t room) {
    std::string &found = board->listener.bytes;
    uint64_t count = found.size() < room ? found.size() : room;
    memcpy(bytes, found.data(), count);
    found.erase(0, count);
    return count;
}

// 0; -1 where a drive failed. There is a drive and a port for each lane.
API int board_run(Board *board, const Drive *drives, void *const *ports, uint64_t clocks) {
    return board->run(drives, ports, clocks) ? 0 : -1;
}

// Clocks so far; bytes without a stop bit; bit by bit the lights link, activity and error; clocks
// since a byte was on its way on a line.
API void board_state(const Board *board, uint64_t *state) {
    state[0] = board->cycle;
    state[1] = board->listener.faults;
    state[2] = board->link | board->activity << 1 | board->error << 2;
    state[3] = board->speaker.idle() ? board->cycle - board->talked : 0;
}
