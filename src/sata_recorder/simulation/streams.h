// What stands at the core's two streams: a source and a sink, with stalls, a sensor's clock and a
// FIFO. simulation/streams.py does the same in Python, for the other engine.

#include <cstdint>
#include <deque>

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

// Beats [first, first + count) of the producer.
struct Range {
    uint64_t first, count;
};

// The beats of a sensor that cannot wait, on their way through a FIFO; or without one, if the core shall lose them.
struct Sensor {
    uint64_t beats = 0, clocks = 0, depth = 0;      // beats 0: there is none
    uint64_t phase = 0, arrived = 0, lost = 0, backlog = 0, high = 0;
    bool losing = false;                            // the latest beat was lost
    bool running = false;
    std::deque<Range> waiting;
    std::deque<Range> gaps;

    // How many beats of `count` in all arrive in one clock.
    uint64_t fresh(uint64_t count) {
        phase += beats;
        if (phase < clocks)
            return 0;
        uint64_t fresh = phase / clocks, left = count - arrived;
        phase %= clocks;
        return fresh < left ? fresh : left;
    }

    // What arrives in one clock. A beat that finds the FIFO full is lost.
    void clock(uint64_t count) {
        uint64_t came = fresh(count), room = depth - backlog, kept = came < room ? came : room;
        if (kept)
            keep(kept);
        if (came > kept)
            lose(came - kept);
    }

    void keep(uint64_t number) {
        if (!losing && !waiting.empty())
            waiting.back().count += number;
        else
            waiting.push_back({arrived, number});
        losing = false;
        arrived += number;
        backlog += number;
        high = high < backlog ? backlog : high;
    }

    void lose(uint64_t number) {
        if (losing)
            gaps.back().count += number;
        else
            gaps.push_back({arrived, number});
        losing = true;
        arrived += number;
        lost += number;
    }

    void take() {
        backlog--;
        Range &front = waiting.front();
        front.first++;
        if (--front.count == 0)
            waiting.pop_front();
    }
};

// Beats of WORDS words, or PARTS beats of a word. The sensor counts beats; words where a beat is shorter and can wait.
struct Source {
    static constexpr unsigned WORDS = SOURCE_BITS > 32 ? SOURCE_BITS / 32 : 1;
    static constexpr unsigned PARTS = SOURCE_BITS < 32 ? 32 / SOURCE_BITS : 1;
    static constexpr unsigned FRACTIONS = SOURCE_WAITS ? 1 : PARTS;     // of a word that the sensor counts

    const uint32_t *words = nullptr;    // of the producer's words [first, end)
    uint64_t first = 0, end = 0, count = 0, mark = 0, taken = 0;    // words
    void *refill = nullptr;             // Python: called with the index of the word that is needed
    bool valid = false;
    unsigned part = 0;                  // of the word that is offered
    uint32_t data[WORDS] = {};
    Stall stall;
    Sensor sensor;

    uint64_t sensed() const { return WORDS * (sensor.arrived - sensor.lost) / FRACTIONS; }
    bool senses() const { return sensor.running && sensed() < mark; }
    uint64_t all() const { return count < ~0ull / FRACTIONS ? FRACTIONS * count / WORDS : ~0ull; }

    // A clock of the sensor: it runs from the core's first readiness until the mark is reached.
    void sense(bool starts) {
        sensor.running |= starts;
        if (SOURCE_WAITS && senses())
            sensor.clock(all());
    }

    // Whether there is something to offer. What cannot wait comes in this very clock.
    bool has() {
        if (!sensor.beats)
            return taken < count;
        if (SOURCE_WAITS)
            return sensor.backlog != 0;
        return senses() && sensor.fresh(all());
    }
    // The word that the beat begins with.
    uint64_t next() const {
        return !sensor.beats ? taken : SOURCE_WAITS ? WORDS * sensor.waiting.front().first :
            WORDS * sensor.arrived / FRACTIONS;
    }

    void load(const uint32_t *from) {
        for (unsigned word = 0; word < WORDS; word++)
            data[word] = from[word];
        if (FRACTIONS > 1)
            data[0] >>= SOURCE_BITS * (sensor.arrived % FRACTIONS) % 32;
    }

    // The beat that is offered is accepted.
    void take() {
        if (sensor.beats && !SOURCE_WAITS) {
            valid = false;
            sensor.keep(1);
            sensor.take();
            taken = sensed();
            return;
        }
        if (PARTS > 1) {
            data[0] >>= SOURCE_BITS % 32;
            part = (part + 1) % PARTS;
            if (part)
                return;
        }
        valid = false;
        taken += WORDS;
        if (sensor.beats)
            sensor.take();
    }

    // The beat that is offered is not accepted.
    void refuse() {
        if (sensor.beats && !SOURCE_WAITS) {
            valid = false;
            sensor.lose(1);
        }
    }
};

// A pin beside the stream that is high for one clock of the source: when `word` words or more have been accepted, and
// at least a beat since the one before it. `before` and `after`: those accepted before this clock, and with it.
struct Beside {
    int control;
    uint64_t word, before, after;
};

// Those that are to come, in order; `came` of them did, and the next one is there now if it is `high`.
struct Besides {
    std::deque<Beside> all;
    size_t came = 0;
    bool high = false;

    bool due(uint64_t taken) const {
        return came < all.size() && taken >= all[came].word && (!came || taken > all[came - 1].after);
    }
    void pass(uint64_t before, uint64_t after) {
        all[came].before = before, all[came].after = after;
        came++;
    }
};

struct Sink {
    uint32_t *words = nullptr;
    uint64_t room = 0, filled = 0;      // of `words`
    uint64_t size = 0, mark = 0, count = 0, lasts = 0, last_at = 0;
    void *drain = nullptr;              // Python: called when the room is used up
    bool ready = false, armed = false;
    Stall stall;

    void take(uint32_t word, bool last) {
        if (count < size)
            words[filled++] = word;
        if (last)
            lasts++, last_at = count;
        count++;
    }
};
