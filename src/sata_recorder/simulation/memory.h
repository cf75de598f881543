// A memory with one write port, in the place of CXXRTL's, which queues its writes.

#include <cxxrtl/cxxrtl.h>

namespace {

template<size_t Width>
struct memory_of_one_port {
    using Word = cxxrtl::value<Width>;

    std::unique_ptr<Word[]> data;
    size_t at = 0;
    Word fresh, mask;

    explicit memory_of_one_port(size_t depth) : data(new Word[depth]) {}

    const Word &operator[](size_t index) const { return data[index]; }
    Word &operator[](size_t index) { return data[index]; }

    // The write of the cycle that ends with commit().
    void update(size_t index, const Word &word, const Word &enable, int) {
        at = index, fresh = word, mask = enable;
    }

    template<class Observer>
    bool commit(Observer &) {
        data[at] = data[at].update(fresh, mask);
        return true;
    }
};

} // namespace
