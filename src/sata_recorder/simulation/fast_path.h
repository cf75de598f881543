// Fast paths of a core: libraries of their own, each of which does the clocks in which registers and
// inputs have the values that it assumes. fast_paths.py learns these values from rows of samples.

#include <cstdint>
#include <cstring>

// A clock of the core; what it returns and takes is described in netlist/fast_path.py.
typedef int (*FastPath)(Core *core, int follows);

// Those of one core, and samples of the clocks that none of them did. Python has the same structure.
struct FastPaths {
    static constexpr unsigned MOST = 6;

    uint64_t count;             // of paths, those that assume most first
    FastPath path[MOST];
    uint64_t hits[MOST];        // clocks of each
    uint64_t missed;            // clocks of none
    uint64_t next, step;        // the missed clock that is sampled next; about so many lie between two
    uint64_t filled, room;      // rows
    uint8_t *rows;              // of Core::BYTES each
    uint64_t random;

    void miss(const Core &core) {
        if (missed++ == next)
            sample(core);
    }

    // A full room loses each second row, so the rows are of all that was missed since the first one. No
    // step is the same as the one before: of what has a period, a part would not be seen.
    void sample(const Core &core) {
        if (filled == room) {
            filled = room / 2;
            for (uint64_t row = 1; row < filled; row++)
                memcpy(rows + row * Core::BYTES, rows + 2 * row * Core::BYTES, Core::BYTES);
            step *= 2;
        }
        core.bytes(rows + filled++ * Core::BYTES);
        random = random * 6364136223846793005 + 1442695040888963407;
        next = missed + (random >> 33) % (2 * step);
    }
};

// The way that one core takes from clock to clock.
struct Way {
    FastPaths *paths = nullptr;
    FastPath path = nullptr;    // that of the clock before, if the next clock may follow it

    bool clock(Core &core) {
        if (!paths)
            return core.clock();
        // Always the first that fits: it is the fastest one.
        for (unsigned place = 0; place < paths->count; place++) {
            FastPath tried = paths->path[place];
            if (int done = tried(&core, tried == path)) {
                path = done == 2 ? tried : nullptr;
                paths->hits[place]++;
                return true;
            }
        }
        path = nullptr;
        paths->miss(core);
        return core.clock();
    }
};
