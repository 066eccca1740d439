// SPDX-License-Identifier: MIT
/* furwock/ipc/coro.hpp: tasks of two processes, and an owner that is killed. */
#include <furwock/ipc/coro.hpp>
#include <furwock/ipc/region.h>

#include "check.hpp"

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace co = fw::co;

enum { TASKS = 40, TIMES = 25 };

static co::task<> count(fw_ipc_mutex &m, long &counter, int times)
{
    for (int i = 0; i < times; i++) {
        const auto held = co_await co::lock(m);
        const long before = counter;

        CHECK(held.owns_lock() && !held.owner_died());
        co_await co::yield();
        counter = before + 1;
    }
}

static void count_all(fw_ipc_mutex &m, long &counter)
{
    co::loop loop;

    for (int i = 0; i < TASKS; i++)
        loop.spawn(count(m, counter, TIMES));
    loop.run();
}

static co::task<> inherit(fw_ipc_mutex &m, bool &has_died)
{
    auto held = co_await co::lock(m);

    has_died = held.owner_died();
    if (has_died)
        held.consistent();
}

static co::task<bool> misses(fw_ipc_mutex &m)
{
    const auto held = co_await co::try_lock_for(m, 2ms);

    co_return !held.owns_lock();
}

/* In a process of its own: holds the mutex, says so, and waits to be killed. */
[[noreturn]] static void hold(fw_ipc_mutex &m, int told)
{
    CHECK(fw_ipc_mutex_lock(&m) == 0);
    CHECK(write(told, "x", 1) == 1);
    for (;;)
        pause();
}

static void test_killed_owner(fw_ipc_mutex &m)
{
    int told[2];
    char said;
    bool has_died = false;
    co::loop loop;

    CHECK(pipe(told) == 0);
    const pid_t owner = fork();
    if (owner == 0)
        hold(m, told[1]);
    CHECK(read(told[0], &said, 1) == 1);
    CHECK(loop.run(misses(m)));
    loop.spawn(inherit(m, has_died));
    loop.poll();
    CHECK(!has_died && loop.tasks() == 1);
    CHECK(kill(owner, SIGKILL) == 0 && waitpid(owner, nullptr, 0) == owner);
    loop.run();
    CHECK(has_died && fw_ipc_mutex_trylock(&m) == 0 && fw_ipc_mutex_unlock(&m) == 0);
    close(told[0]);
    close(told[1]);
}

int main()
{
    const std::string name = "/furwock-coro-ipc-" + std::to_string(getpid());
    fw_region *region;
    void *object;
    fw_ipc_mutex *m;
    int status;

    CHECK(fw_region_open(name.c_str(), 1 << 20, FW_REGION_CREATE, &region) == 0);
    CHECK(fw_region_remove(name.c_str()) == 0);
    CHECK(fw_region_mutex(region, "lock", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_region_object(region, "count", FW_REGION_DATA, sizeof(long), FW_REGION_CREATE,
                           &object) == 0);
    long &counter = *static_cast<long *>(object);

    const pid_t other = fork();
    count_all(*m, counter);
    if (other == 0)
        _exit(0);
    CHECK(waitpid(other, &status, 0) == other && status == 0);
    CHECK(counter == 2L * TASKS * TIMES);
    test_killed_owner(*m);
    CHECK(fw_region_close(region) == 0);
    return 0;
}
