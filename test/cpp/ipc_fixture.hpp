// SPDX-License-Identifier: MIT
#ifndef FW_CPP_IPC_FIXTURE_HPP
#define FW_CPP_IPC_FIXTURE_HPP

#include "check.hpp"

#include <csignal>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc.hpp>

/* What the tests of fw::ipc share: processes that are killed, and a region for them. */
namespace ipc = fw::ipc;

/* Runs f in a process of its own, which has the regions of this one. */
template <class F> pid_t process(F f)
{
    const pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        f();
        _exit(0);
    }
    return child;
}

inline void join(pid_t child)
{
    int status;

    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

inline void kill_and_wait(pid_t child)
{
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, nullptr, 0) == child);
}

struct shared {
    ipc::mutex lock, other;
    ipc::shared_mutex prices;
    ipc::condition_variable changed;
    long count = 0, twice = 0;
    int wanted = 0;
};

struct fixture {
    std::string name = "/furwock-cpp-" + std::to_string(getpid());
    ipc::region region = ipc::region::create(name, 1 << 20, ipc::region::exclusive);
    ipc::semaphore &told = region.construct<ipc::semaphore>("told", 0u);
    shared &s = region.find_or_construct<shared>("shared");

    ~fixture()
    {
        ipc::region::remove(name);
    }

    /* In a process of its own: does f, says so, and waits to be killed.  Returns when it is so. */
    template <class F> pid_t stays(F f)
    {
        const pid_t child = process([&] {
            [[maybe_unused]] const auto kept = f();
            told.release();
            for (;;)
                pause();
        });

        told.acquire();
        return child;
    }
};

/* The parts of ipc_test.cc in files of their own. */
void readers_and_waiters(fixture &f);
void counts_and_journals(fixture &f);

#endif
