// The ports of the core by number, and what it has, as ports.inc lists them.

#include "ports.inc"
// A core without a queue at its pins, and without a source stage.
#ifndef QUEUE_PINS
#define QUEUE_PINS 0
#endif
#ifndef SOURCE_BITS
#define SOURCE_BITS 32
#define SOURCE_CLOCK 0
#define SOURCE_STAGE 0
#define SOURCE_WAITS 1
#endif

enum Control {
#define CONTROL(name, port) CONTROL_##name,
#include "ports.inc"
};

enum Output {
#define OUTPUT(name, port) OUTPUT_##name,
#include "ports.inc"
    OUTPUTS
};

// The dword ports of the core, each with a drive.
enum Lane {
#define LANE(n, port) LANE_##n,
#include "ports.inc"
    LANES
};

// The streams that are recorded: one, or those of the channels.
enum Stream {
#define STREAM(n, port) STREAM_##n,
#include "ports.inc"
    STREAMS
};

// Words that are played back at once.
enum Beat {
#define PLAYED(n, port) BEAT_##n,
#include "ports.inc"
    BEAT_WORDS
};
