// SPDX-License-Identifier: MIT
/* coro::mutex on coro::thread_pool; the release resumes the next holder. */
#include "run.hpp"

#include <coro/mutex.hpp>
#include <coro/thread_pool.hpp>

#include "pin.h"

#include <deque>

namespace {

struct library {
    std::unique_ptr<coro::thread_pool> pool;
    std::deque<coro::mutex> locks;

    library(unsigned n, unsigned threads)
    {
        pool = coro::thread_pool::make_unique(coro::thread_pool::options{
            .thread_count = threads, .on_thread_start_functor = [](std::size_t i) {
                pin_if_wanted(static_cast<unsigned>(i));
            }});
        for (unsigned i = 0; i < n; i++)
            locks.emplace_back();
    }

    auto lock(unsigned i)
    {
        return locks[i].lock();
    }

    auto yield()
    {
        return pool->yield();
    }

    void hold(unsigned i)
    {
        if (!locks[i].try_lock())
            std::abort();
    }

    void unlock(unsigned i)
    {
        locks[i].unlock();
    }

    void let_go(unsigned i)
    {
        unlock(i);
    }
};

} // namespace

int main(int argc, char **argv)
{
    manytasks::run r(argc, argv);
    library all(r.locks, r.threads);

    return manytasks::conduct(
        all, r, [&](unsigned task) { manytasks::body<manytasks::detached>(all, r, task); });
}
