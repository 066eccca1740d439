// SPDX-License-Identifier: MIT
/* fw::mutex, with furwock's own tasks and a loop for each thread. */
#include "peers/run.hpp"

#include <furwock/coro.hpp>

#include "bench/common/pin.h"

#include <deque>

namespace {

namespace co = fw::co;

co::task<> body(std::deque<fw::mutex> &locks, manytasks::run &r, unsigned task)
{
    manytasks::chooser choose(r.seed, task);

    r.arrive();
    for (unsigned pass = 0; pass < r.passes; pass++) {
        const unsigned i = pass == 0 ? task % r.locks : choose.next(r.locks);
        std::uint64_t *const wait = r.wait_of(task, pass);
        const std::uint64_t asked = wait != nullptr ? manytasks::now_ns() : 0;
        const auto held = co_await co::lock(locks[i]);

        if (wait != nullptr)
            *wait = manytasks::now_ns() - asked;
        r.counts[i].value++;
        co_await co::yield();
    }
    r.end();
}

struct library {
    std::deque<fw::mutex> locks;
    std::deque<co::loop> loops;

    library(unsigned n, unsigned threads) : locks(n), loops(threads) {}

    void hold(unsigned i)
    {
        locks[i].lock();
    }

    void let_go(unsigned i)
    {
        locks[i].unlock();
    }
};

} // namespace

int main(int argc, char **argv)
{
    manytasks::run r(argc, argv);
    library all(r.locks, r.threads);
    std::stop_source stop;
    std::vector<std::thread> threads;

    for (unsigned i = 0; i < r.threads; i++)
        threads.emplace_back([&, i] {
            pin_if_wanted(i);
            all.loops[i].run_until(stop.get_token());
        });
    const int status = manytasks::conduct(
        all, r, [&](unsigned task) { all.loops[task % r.threads].spawn(body(all.locks, r, task)); },
        sizeof(fw_await));
    stop.request_stop();
    for (std::thread &t : threads)
        t.join();
    return status;
}
