// SPDX-License-Identifier: MIT
#ifndef FW_CPP_CHECK_HPP
#define FW_CPP_CHECK_HPP

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <vector>

/* What the tests of the C++ headers share. */
#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                \
        }                                                                                \
    } while (0)

using namespace std::chrono_literals;

/* Long enough for another thread to fall asleep; nothing depends on it but what is tried. */
inline void doze()
{
    std::this_thread::sleep_for(10ms);
}

/* Runs f(0), ..., f(n - 1), each in a thread. */
template <class F> void in_threads(int n, F f)
{
    std::vector<std::thread> threads;

    for (int i = 0; i < n; i++)
        threads.emplace_back(f, i);
    for (std::thread &t : threads)
        t.join();
}

/* Runs f in a thread, and waits for it. */
template <class F> void elsewhere(F f)
{
    std::thread(f).join();
}

/* f throws std::system_error with that errno. */
template <class F> bool throws(int code, F f)
{
    try {
        f();
    } catch (const std::system_error &e) {
        return e.code() == std::error_code(code, std::generic_category());
    }
    return false;
}

#endif
