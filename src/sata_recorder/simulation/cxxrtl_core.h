// The core as CXXRTL has it, with the clock of the generated one: see text.py.

#include "sata_recorder.cc"

namespace {

template<size_t Bits> uint64_t now(const cxxrtl::value<Bits> &v) {
    return v.template get<uint64_t>();
}
template<size_t Bits> uint64_t now(const cxxrtl::wire<Bits> &w) {
    return w.curr.template get<uint64_t>();
}

struct Core : cxxrtl_design::p_sata__recorder {
    // False where one evaluation is not enough.
    bool clock() {
        p_clk.set<uint64_t>(1);
        prev_p_clk.set<uint64_t>(0);
        return eval();
    }

    void settle() {}

#if SOURCE_CLOCK
    // An edge of the other clock.
    void tick() {
        p_s__axis__aclk.set<uint64_t>(1);
        prev_p_s__axis__aclk.set<uint64_t>(0);
        eval();
    }
    void ticked() { commit(); }
#endif

    // It has no fast paths.
    enum { BYTES = 0 };
    void bytes(uint8_t *) const {}
};

} // namespace
