// SPDX-License-Identifier: MIT
/* cppcoro::async_mutex on cppcoro::static_thread_pool; the release resumes the next holder. */
#include "run.hpp"

#include <cppcoro/async_mutex.hpp>
#include <cppcoro/static_thread_pool.hpp>

#include "pin_others.hpp"

#include <deque>

namespace {

struct library {
    cppcoro::static_thread_pool pool;
    std::deque<cppcoro::async_mutex> locks;

    library(unsigned n, unsigned threads) : pool(threads)
    {
        pin_others_if_wanted();
        for (unsigned i = 0; i < n; i++)
            locks.emplace_back();
    }

    auto lock(unsigned i)
    {
        return locks[i].lock_async();
    }

    auto yield()
    {
        return pool.schedule();
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
