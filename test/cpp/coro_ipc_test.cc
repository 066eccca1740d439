// SPDX-License-Identifier: MIT
/* furwock/ipc/coro.hpp: tasks of two processes, and an owner that is killed. */
#include <furwock/futex.h>
#include <furwock/ipc/coro.hpp>
#include <furwock/ipc/named.h>
#include <furwock/ipc/region.h>

#include "check.hpp"

#include <csignal>
#include <poll.h>
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

/* A wait whose submission kills the owner of a mutex, and lasts until the loop is told of it. */
struct killing : co::sleep_wait {
    killing(pid_t process, fw_ipc_mutex &m, co::loop &loop)
        : process_(process), m_(&m), loop_(&loop)
    {
    }

    int submit(fw_await *operation)
    {
        const fw_deadline later = co::deadline_of(1h);
        pollfd told = {loop_->descriptor(), POLLIN, 0};
        int status;

        CHECK(kill(process_, SIGKILL) == 0 && waitpid(process_, &status, 0) == process_);
        do
            fw_futex_wake(reinterpret_cast<std::uint32_t *>(m_), FW_FUTEX_ALL, FW_FUTEX_SHARED);
        while (poll(&told, 1, 10) == 0);
        return fw_await_timer(operation, &later);
    }

  private:
    pid_t process_;
    fw_ipc_mutex *m_;
    co::loop *loop_;
};

static co::task<bool> inherit_first(fw_ipc_mutex &m, pid_t owner, fw_ipc_mutex &other,
                                    co::loop &loop)
{
    co_await co::yield(); /* goes on outside of fw_loop_run: what is asked for begins at once */
    auto first = co_await co::when_any(co::lock(m), killing(owner, m, loop), co::lock(other));
    const bool has_died = first.index() == 0 && std::get<0>(first).owner_died();

    if (has_died)
        std::get<0>(first).consistent();
    co_return has_died;
}

/* What is granted while others are being asked for has its result, too. */
static void test_killed_meanwhile(fw_ipc_mutex &m, fw_ipc_mutex &other)
{
    int told[2];
    char said;

    CHECK(pipe(told) == 0);
    const pid_t owner = fork();
    if (owner == 0)
        hold(m, told[1]);
    CHECK(read(told[0], &said, 1) == 1 && fw_ipc_mutex_lock(&other) == 0);
    {
        co::loop loop;
        CHECK(loop.run(inherit_first(m, owner, other, loop)));
    }
    CHECK(fw_ipc_mutex_unlock(&other) == 0 && fw_ipc_mutex_trylock(&m) == 0 &&
          fw_ipc_mutex_unlock(&m) == 0);
    close(told[0]);
    close(told[1]);
}

/* --- The other locks -------------------------------------------------------------------------- */

struct rest {
    fw_ipc_mutex *m;
    fw_ipc_cond *filled;
    fw_ipc_rwlock *rw;
    fw_ipc_permits *permits;
    long *counter; /* 0: what m protects, 1 and 2: what rw does */
};

static co::task<> consume(const rest &r, int &left)
{
    while (left > 0) {
        auto held = co_await co::lock(*r.m);

        while (left > 0 && r.counter[0] == 0)
            CHECK(co_await co::wait(*r.filled, held));
        CHECK(held.owns_lock());
        if (left <= 0)
            break;
        r.counter[0]--;
        if (--left == 0)
            fw_ipc_cond_broadcast(r.filled);
    }
}

static co::task<> change(const rest &r)
{
    for (int i = 0; i < TIMES; i++) {
        auto permit = co_await co::acquire(*r.permits);
        CHECK(permit && !permit.owner_died() && permit.number() < 2);
        {
            const auto held = co_await co::lock(*r.rw);
            CHECK(held.owns_lock() && !held.owner_died());
            r.counter[1]++;
            co_await co::yield();
            r.counter[2]++;
        }
        const auto held = co_await co::lock_shared(*r.rw);
        CHECK(held.owns_lock() && r.counter[1] == r.counter[2]);
        permit.give_back();
    }
}

static co::task<bool> misses_all(const rest &r)
{
    auto held = co_await co::lock(*r.m);
    const bool is_signalled = co_await co::wait_for(*r.filled, held, 2ms);
    const auto permit = co_await co::try_acquire_for(*r.permits, 2ms);
    const auto shared = co_await co::try_lock_shared_for(*r.rw, 2ms);
    const auto exclusive = co_await co::try_lock_for(*r.rw, 2ms);

    co_return !is_signalled && held.owns_lock() && !permit && !shared && !exclusive;
}

static co::task<bool> first_of_two(const rest &r)
{
    const auto first = co_await co::when_any(co::lock(*r.rw), co::sleep_for(2ms));

    co_return first.index() == 1;
}

static void test_rest(const rest &r)
{
    int left = TASKS, told[2], asked[2];
    char said;
    co::loop loop;

    CHECK(pipe(told) == 0 && pipe(asked) == 0);
    const pid_t other = fork();
    for (int i = 0; other == 0 && i < TASKS; i++) { /* fills it */
        CHECK(fw_ipc_mutex_lock(r.m) == 0);
        r.counter[0]++;
        CHECK(fw_ipc_cond_signal(r.filled) == 0 && fw_ipc_mutex_unlock(r.m) == 0);
    }
    {
        co::loop mine;
        for (int i = 0; i < 4; i++)
            mine.spawn(change(r));
        for (int i = 0; other != 0 && i < 3; i++)
            mine.spawn(consume(r, left));
        mine.run();
    }
    if (other == 0) { /* and then takes everything, when this process needs nothing any more */
        CHECK(read(asked[0], &said, 1) == 1);
        CHECK(fw_ipc_permits_wait(r.permits) == 0 && fw_ipc_permits_wait(r.permits) == 0);
        CHECK(fw_ipc_rwlock_wrlock(r.rw) == 0 && write(told[1], "x", 1) == 1);
        for (;;)
            pause();
    }
    CHECK(write(asked[1], "x", 1) == 1 && read(told[0], &said, 1) == 1);
    CHECK(left == 0 && r.counter[0] == 0 && r.counter[1] == 8L * TIMES);
    CHECK(loop.run(misses_all(r)));
    CHECK(loop.run(first_of_two(r)));
    CHECK(kill(other, SIGKILL) == 0 && waitpid(other, nullptr, 0) == other);
    loop.run([](const rest &of) -> co::task<> {
        auto taken = co_await co::lock(*of.rw);
        CHECK(taken.owner_died());
        auto held = std::move(taken);
        CHECK(held.owner_died() && !taken.owner_died());
        held.consistent();
        auto permit = co_await co::acquire(*of.permits);
        CHECK(permit.owner_died());
        permit.give_back();
        CHECK(!permit && !permit.owner_died());
    }(r));
    CHECK(fw_ipc_rwlock_trywrlock(r.rw) == 0 && fw_ipc_rwlock_wrunlock(r.rw) == 0);
    for (int end : {told[0], told[1], asked[0], asked[1]})
        close(end);
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
    rest r{};
    CHECK(fw_region_mutex(region, "queue", FW_REGION_CREATE, &r.m) == 0 &&
          fw_region_cond(region, "filled", FW_REGION_CREATE, &r.filled) == 0 &&
          fw_region_rwlock(region, "state", FW_REGION_CREATE, &r.rw) == 0 &&
          fw_region_permits(region, "permits", 2, FW_REGION_CREATE, &r.permits) == 0 &&
          fw_region_object(region, "state count", FW_REGION_DATA, 3 * sizeof(long),
                           FW_REGION_CREATE, &object) == 0);
    r.counter = static_cast<long *>(object);
    test_killed_meanwhile(*m, *r.m);
    test_rest(r);
    CHECK(fw_region_close(region) == 0);
    return 0;
}
