// SPDX-License-Identifier: MIT
//
// std::atomic, and std::atomic_ref where the library has it, of types that no instruction handles.
// Nothing here knows of a library.  Ends with 0 where nothing was lost or torn.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>

namespace {

constexpr unsigned n_threads = 2, rounds = 2000;

[[noreturn]] void fail(const char *what, std::size_t size)
{
    std::printf("%s of %zu bytes is wrong\n", what, size);
    std::exit(1);
}

template <std::size_t n> struct bytes {
    unsigned char b[n];

    static bytes of(unsigned char value)
    {
        bytes s;
        std::memset(s.b, value, n);
        return s;
    }

    void check() const
    {
        for (unsigned char c : b)
            if (c != b[0])
                fail("a structure", n);
    }
};

// Works alike for std::atomic and std::atomic_ref.
template <class Atomic> void count(Atomic &&object)
{
    auto seen = object.load(std::memory_order_acquire);
    using value = decltype(seen);

    do
        seen.check();
    while (!object.compare_exchange_weak(seen, value::of(static_cast<unsigned char>(seen.b[0] + 1)),
                                         std::memory_order_acq_rel, std::memory_order_relaxed));
}

template <std::size_t n> struct structure {
    std::atomic<bytes<n>> object{bytes<n>::of(0)};
    alignas(16) bytes<n> plain = bytes<n>::of(0);

    void step()
    {
        count(object);
#ifdef __cpp_lib_atomic_ref
        count(std::atomic_ref<bytes<n>>(plain));
#endif
    }

    void finish()
    {
        auto wrong = bytes<n>::of(255);
        auto seen = object.load();

        if (seen.b[0] != static_cast<unsigned char>(n_threads * rounds))
            fail("the count of a structure", n);
#ifdef __cpp_lib_atomic_ref
        plain.check();
        if (plain.b[0] != seen.b[0])
            fail("the count of a structure behind a reference", n);
#endif
        if (object.compare_exchange_strong(wrong, bytes<n>::of(1)))
            fail("a comparison", n);
        wrong.check();
        if (wrong.b[0] != seen.b[0])
            fail("what a comparison writes back", n);
        object = bytes<n>::of(7);
        if (object.exchange(bytes<n>::of(9)).b[n - 1] != 7 || object.load().b[0] != 9)
            fail("an exchange", n);
        if (n > 16 && object.is_lock_free())
            fail("what is said", n);
    }
};

structure<3> s3;
structure<12> s12;
structure<16> s16;
structure<24> s24;
structure<32> s32;
structure<40> s40;
structure<100> s100;
std::atomic<long double> number{1};

void thread()
{
    for (unsigned i = 0; i < rounds; i++) {
        s3.step();
        s12.step();
        s16.step();
        s24.step();
        s32.step();
        s40.step();
        s100.step();
        // No loop of compare-exchanges here: clang does not keep the 6 bytes that have no meaning.
        long double seen = number.exchange(number.load() < 0 ? 1 : -1);
        if (seen != 1 && seen != -1)
            fail("a floating-point exchange", sizeof seen);
    }
}

} // namespace

int main()
{
    std::thread one(thread), other(thread);

    one.join();
    other.join();
    s3.finish();
    s12.finish();
    s16.finish();
    s24.finish();
    s32.finish();
    s40.finish();
    s100.finish();
    std::puts("nothing lost, nothing torn");
}
