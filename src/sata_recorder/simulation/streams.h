// What stands at the core's two streams: a source and a sink, with stalls, a sensor's clock and a
// FIFO. measure/streams.py does the same in Python, for the other engine.

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

// Words [first, first + count) of the producer.
struct Range {
    uint64_t first, count;
};

// The words of a sensor that cannot wait, on their way through a FIFO.
struct Sensor {
    uint64_t words = 0, clocks = 0, depth = 0;      // words 0: there is none
    uint64_t phase = 0, arrived = 0, lost = 0, backlog = 0, high = 0;
    bool losing = false;                            // the latest word was lost
    bool running = false;
    std::deque<Range> waiting;
    std::deque<Range> gaps;

    // What arrives in one clock, of `count` words in all. A word that finds the FIFO full is lost.
    void clock(uint64_t count) {
        phase += words;
        if (phase < clocks)
            return;
        uint64_t fresh = phase / clocks, left = count - arrived, room = depth - backlog;
        phase %= clocks;
        fresh = fresh < left ? fresh : left;
        uint64_t kept = fresh < room ? fresh : room;
        if (kept)
            keep(kept);
        if (fresh > kept)
            lose(fresh - kept);
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

struct Source {
    const uint32_t *words = nullptr;    // of the producer's words [first, end)
    uint64_t first = 0, end = 0, count = 0, mark = 0, taken = 0;
    void *refill = nullptr;             // Python: called with the index of the word that is needed
    bool valid = false;
    uint32_t data = 0;
    Stall stall;
    Sensor sensor;

    // A clock of the sensor: it runs from the core's first readiness until the mark is reached.
    void sense(bool ready) {
        sensor.running |= ready;
        if (sensor.running && sensor.arrived - sensor.lost < mark)
            sensor.clock(count);
    }

    // Whether there are as many words as a beat has; the index of one of them.
    bool has(uint64_t words) const {
        return sensor.words ? sensor.backlog >= words : taken + words <= count;
    }

    uint64_t next(uint64_t place) const {
        if (!sensor.words)
            return taken + place;
        auto range = sensor.waiting.begin();
        while (place >= range->count)
            place -= range->count, ++range;
        return range->first + place;
    }

    void take(uint64_t words) {
        valid = false;
        taken += words;
        for (; sensor.words && words; words--)
            sensor.take();
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
