// SPDX-License-Identifier: MIT
/*
 * fw::mutex, with furwock's own tasks and a loop for each thread.
 *
 * A sixth argument: that many of the locks lie in a region, and a second process with as many tasks
 * competes for them.
 */
#include "peers/run.hpp"

#include <furwock/coro.hpp>
#include <furwock/ipc/coro.hpp>
#include <furwock/ipc/region.h>

#include "bench/common/pin.h"

#include <deque>
#include <string>
#include <sys/wait.h>

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

void check(int error)
{
    if (error != 0) {
        std::fprintf(stderr, "%s\n", std::generic_category().message(error).c_str());
        std::exit(1);
    }
}

/* The locks 0 .. n - 1 lie here, and two processes have them. */
class shared_locks {
  public:
    explicit shared_locks(unsigned n)
    {
        const std::string name = "/furwock-manytasks-" + std::to_string(getpid());
        const std::size_t size = FW_REGION_MIN_SIZE + std::size_t{n} * 8192;
        void *counts;

        check(fw_region_open(name.c_str(), size, FW_REGION_CREATE | FW_REGION_EXCLUSIVE, &region_));
        check(fw_region_remove(name.c_str()));
        for (unsigned i = 0; i < n; i++) {
            fw_ipc_mutex *m;

            check(fw_region_mutex(region_, std::to_string(i).c_str(), FW_REGION_CREATE, &m));
            locks.push_back(m);
        }
        check(fw_region_object(region_, "counts", FW_REGION_DATA,
                               (n + 1) * sizeof(manytasks::count), FW_REGION_CREATE, &counts));
        passes = static_cast<manytasks::count *>(counts);
    }

    /* The passes of both processes, by the locks, are those that the tasks have counted. */
    [[nodiscard]] bool is_right(std::uint64_t counted) const
    {
        std::uint64_t sum = 0;

        for (std::size_t i = 0; i < locks.size(); i++)
            sum += passes[i].value;
        return sum == counted;
    }

    [[nodiscard]] std::uint64_t &of_the_other() const
    {
        return passes[locks.size()].value;
    }

    std::vector<fw_ipc_mutex *> locks;
    manytasks::count *passes = nullptr;

  private:
    fw_region *region_ = nullptr;
};

struct library {
    std::deque<fw::mutex> locks;
    std::deque<co::loop> loops;
    const shared_locks *shared;
    bool holds_shared;

    library(unsigned n, unsigned threads, const shared_locks *some, bool holds)
        : locks(n), loops(threads), shared(some), holds_shared(holds)
    {
    }

    [[nodiscard]] bool is_shared(unsigned i) const
    {
        return shared != nullptr && i < shared->locks.size();
    }

    void hold(unsigned i)
    {
        if (!is_shared(i))
            locks[i].lock();
        else if (holds_shared)
            check(fw_ipc_mutex_lock(shared->locks[i]));
    }

    void let_go(unsigned i)
    {
        if (!is_shared(i))
            locks[i].unlock();
        else if (holds_shared)
            check(fw_ipc_mutex_unlock(shared->locks[i]));
    }
};

co::task<> mixed_body(library &all, manytasks::run &r, unsigned task)
{
    manytasks::chooser choose(r.seed, task);

    r.arrive();
    for (unsigned pass = 0; pass < r.passes; pass++) {
        const unsigned i = pass == 0 ? task % r.locks : choose.next(r.locks);
        std::uint64_t *const wait = r.wait_of(task, pass);
        const std::uint64_t asked = wait != nullptr ? manytasks::now_ns() : 0;
        co::ipc_guard shared;
        co::mutex_guard held;

        if (all.is_shared(i)) {
            shared = co_await co::lock(*all.shared->locks[i]);
            all.shared->passes[i].value++;
        } else {
            held = co_await co::lock(all.locks[i]);
        }
        if (wait != nullptr)
            *wait = manytasks::now_ns() - asked;
        r.counts[i].value++;
        co_await co::yield();
    }
    r.end();
}

/* One process: its exit status. */
int conduct(manytasks::run &r, const shared_locks *shared, bool holds_shared)
{
    library all(r.locks, r.threads, shared, holds_shared);
    std::stop_source stop;
    std::vector<std::thread> threads;

    for (unsigned i = 0; i < r.threads; i++)
        threads.emplace_back([&, i] {
            pin_if_wanted(i);
            all.loops[i].run_until(stop.get_token());
        });
    const int status = manytasks::conduct(
        all, r,
        [&](unsigned task) {
            co::loop &loop = all.loops[task % r.threads];

            if (shared != nullptr)
                loop.spawn(mixed_body(all, r, task));
            else
                loop.spawn(body(all.locks, r, task));
        },
        sizeof(fw_await));
    stop.request_stop();
    for (std::thread &t : threads)
        t.join();
    return status;
}

std::uint64_t counted(const manytasks::run &r, const shared_locks &shared)
{
    std::uint64_t sum = 0;

    for (std::size_t i = 0; i < shared.locks.size(); i++)
        sum += r.counts[i].value;
    return sum;
}

/* Two processes; the first prints. */
int conduct_two(manytasks::run &r, unsigned n)
{
    const shared_locks shared(n);
    int status = 1;

    std::fflush(nullptr);
    const pid_t other = fork();
    if (other == 0) {
        if (std::freopen("/dev/null", "w", stdout) == nullptr)
            _exit(1);
        status = conduct(r, &shared, false);
        shared.of_the_other() = counted(r, shared);
        _exit(status);
    }
    const int mine = conduct(r, &shared, true);
    if (other < 0 || waitpid(other, &status, 0) != other || status != 0)
        return 1;
    if (!shared.is_right(counted(r, shared) + shared.of_the_other())) {
        std::fprintf(stderr, "the processes have counted otherwise: there is no exclusion\n");
        return 1;
    }
    return mine;
}

} // namespace

int main(int argc, char **argv)
{
    manytasks::run r(argc, argv);
    const unsigned shared = argc > 6 ? static_cast<unsigned>(std::atoi(argv[6])) : 0;

    if (shared > r.locks) {
        std::fprintf(stderr, "%u locks shared, of %u\n", shared, r.locks);
        return 2;
    }
    return shared == 0 ? conduct(r, nullptr, false) : conduct_two(r, shared);
}
