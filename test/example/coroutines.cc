// SPDX-License-Identifier: MIT
// The parts of doc/guide/coroutines.md that are no programs: a limit to a wait, and coroutines of
// another library.
#include <furwock/coro.hpp>

#include <cstdlib>
#include <thread>

#include "coroutines_update.h"

namespace {

/* Stands for a library: it resumes what it is given in a thread. */
struct one_thread {
    std::thread thread;

    void resume(std::coroutine_handle<> h)
    {
        thread = std::thread([h] { h.resume(); });
    }
};

struct detached {
    struct promise_type {
        detached get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void() {}
        void unhandled_exception()
        {
            std::abort();
        }
    };
};

detached use(one_thread &pool, fw::mutex &m, bool &has_it)
{
#include "coroutines_other.h"
    has_it = held.owns_lock();
}

} // namespace

int main()
{
    fw::mutex m;
    fw::event stop;
    fw::co::loop loop;
    one_thread pool;
    bool has_it = false;

    if (!loop.run(update(m, stop)))
        return EXIT_FAILURE;
    m.lock();
    std::thread other([&] { stop.set(); });
    const bool was_stopped = !loop.run(update(m, stop));
    other.join();
    use(pool, m, has_it);
    m.unlock();
    pool.thread.join();
    return was_stopped && has_it ? EXIT_SUCCESS : EXIT_FAILURE;
}
