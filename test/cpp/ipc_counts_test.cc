// SPDX-License-Identifier: MIT
#include "ipc_fixture.hpp"

/* Part of ipc_test.cc: what counts, what happens once, and journals. */
namespace {

void semaphores(fixture &f)
{
    auto &s = f.region.find_or_construct<ipc::semaphore>("units", 1u, 2u);

    CHECK(
        throws(EPROTO, [&] { (void)f.region.find_or_construct<ipc::semaphore>("units", 0u, 3u); }));
    CHECK(f.region.find<ipc::semaphore>("units") == &s && s.value() == 1);
    s.acquire(fw::wait_policy::block());
    CHECK(!s.try_acquire() && !s.try_acquire_for(1ms));
    CHECK(!s.try_acquire_until(std::chrono::system_clock::now()));
    const pid_t other = process([&] { s.release(2); });
    s.acquire();
    CHECK(s.try_acquire_for(1h));
    join(other);
    CHECK(throws(EOVERFLOW, [&] { s.release(3); }) && throws(EOVERFLOW, [&] { s.release(-1); }));
}

void permits(fixture &f)
{
    auto &p = f.region.find_or_construct<ipc::permits>("permits", 2u);
    CHECK(p.count() == 2 && p.value() == 2 && f.region.find<ipc::permits>("permits") == &p);
    const pid_t holder = f.stays([&] { return p.take(); });
    ipc::permit mine = p.take();
    CHECK(mine && !mine.owner_died() && p.held_by_me() == 1 && !p.try_take() &&
          !p.try_take_for(1ms));
    kill_and_wait(holder);
    ipc::permit left = p.try_take_for(1h);
    CHECK(left && left.owner_died() && left.number() != mine.number());
    std::thread([&] { CHECK(throws(EPERM, [&] { left.give_back(); })); }).join();
    CHECK(left && left.owner_died() && p.held_by_me() == 2);
    mine.give_back();
    CHECK(!mine && throws(EPERM, [&] { mine.give_back(); }) && p.value() == 1);

    /* What is assigned to is given back at once. */
    ipc::permit none;
    mine = p.take();
    mine = std::move(none);
    CHECK(!mine && !none && p.value() == 1);
}

void barriers(fixture &f)
{
    auto &b = f.region.find_or_construct<ipc::barrier>("fails", 2u);
    auto &g = f.region.construct<ipc::barrier>("goes on", 2u, FW_IPC_BARRIER_GO_ON);
    const auto passes = [](ipc::barrier_result r) { return r != ipc::barrier_result::owner_died; };

    CHECK(f.region.find<ipc::barrier>("fails") == &b);
    CHECK(passes(b.join()) && !b.arrive_and_wait_for(1ms));
    pid_t other = process([&] {
        CHECK(passes(b.arrive_and_wait()));
        auto token = b.arrive();
        CHECK(passes(b.wait(token)));
        b.leave();
    });
    CHECK(passes(b.arrive_and_wait()) && b.arrive_and_wait_for(1h).has_value() && b.phase() == 2);
    join(other);
    CHECK(!b.last_death());
    other = f.stays([&] { return b.join(); });
    kill_and_wait(other);
    CHECK(b.arrive_and_wait() == ipc::barrier_result::owner_died);
    CHECK(b.wait(b.arrive()) == ipc::barrier_result::owner_died);
    CHECK(b.last_death()->process == other);
    b.reset();
    CHECK(!b.last_death() && throws(EPERM, [&] { b.leave(); }));
    kill_and_wait(f.stays([&] { return g.join(); }));
    CHECK(passes(g.arrive_and_wait()));
}

/* Waiters that are killed in any call lose nothing that others wait for. */
void events(fixture &f)
{
    auto &ready = f.region.construct<ipc::event>("ready", fw::event_kind::manual);
    auto &next = f.region.construct<ipc::event>("next", fw::event_kind::automatic);
    auto &start = f.region.construct<ipc::latch>("start", 3);
    const auto soon = [] { return std::chrono::steady_clock::now() + 1ms; };

    CHECK(!ready.is_set() && !ready.try_wait() && !next.try_wait() && !ready.wait_for(1ms));
    CHECK(!ready.wait_until(soon()) && !next.wait_until(soon()) && !next.wait_for(1ms));
    next.set();
    next.set();
    CHECK(next.try_wait() && !next.try_wait());
    pid_t waiter = process([&] {
        start.count_down();
        ready.wait();
        CHECK(ready.wait_for(0s) && ready.try_wait() &&
              ready.wait_until(std::chrono::system_clock::now()));
        next.wait();
        CHECK(start.wait_for(1h) && start.try_wait());
    });
    pid_t victim = process([&] {
        start.count_down();
        ready.wait();
        for (;;)
            pause();
    });
    CHECK(!start.wait_for(1ms) && !start.wait_until(soon()) && !start.try_wait());
    CHECK(throws(EINVAL, [&] { start.count_down(4); }) &&
          throws(EINVAL, [&] { start.count_down(-1); }));
    start.arrive_and_wait();
    CHECK(throws(EINVAL, [&] { start.count_down(); }));
    CHECK(throws(EINVAL, [&] { f.region.construct<ipc::latch>("negative", -1); }));
    start.wait();
    kill_and_wait(victim);
    ready.set();
    ready.set();
    next.set();
    join(waiter);
    ready.reset();
    CHECK(!ready.is_set());
}

/* One process is killed anywhere in its calls; the other one gets through. */
void event_storm(fixture &f)
{
    auto &ready = *f.region.find<ipc::event>("ready");
    auto &next = *f.region.find<ipc::event>("next");
    auto &opened = f.region.construct<ipc::semaphore>("opened", 0u);

    for (int i = 0; i < 60; i++) {
        const pid_t dies = process([&] {
            for (;;) {
                ready.set();
                ready.reset();
                next.set();
                (void)next.try_wait();
                (void)next.wait_for(10us);
            }
        });
        const pid_t lives = process([&] {
            next.wait();
            opened.release();
        });
        std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 30)));
        kill_and_wait(dies);
        next.set();
        opened.acquire();
        join(lives);
        while (next.try_wait())
            continue;
    }
}

void latch_storm(fixture &f)
{
    for (int i = 0; i < 60; i++) {
        auto &l = f.region.construct<ipc::latch>("latch " + std::to_string(i), 5000);
        const pid_t dies = process([&] {
            while (!l.try_wait())
                l.count_down();
            pause();
        });
        const pid_t lives = process([&] { l.wait(); });
        std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 30)));
        kill_and_wait(dies);
        while (!l.try_wait())
            l.count_down();
        join(lives);
    }
}

void once(fixture &f)
{
    auto &flag = f.region.construct<ipc::once_flag>("once");
    int calls = 0;

    kill_and_wait(f.stays([&] {
        ipc::call_once(flag, [&] {
            f.told.release();
            for (;;)
                pause();
        });
        return 0;
    }));
    CHECK(!flag.is_done());
    for (int i = 0; i < 3; i++)
        try {
            ipc::call_once(
                flag,
                [&](int n) {
                    CHECK(flag.is_left());
                    if (n == 0)
                        throw n;
                    calls++;
                },
                i);
        } catch (int n) {
            CHECK(n == 0 && calls == 0);
        }
    CHECK(calls == 1 && flag.is_done() && f.region.find<ipc::once_flag>("once") == &flag);
}

template <class Lock> void journals(fixture &f, const char *name)
{
    auto bank = ipc::journaled<Lock>::find_or_construct(f.region, name, 1024);
    long &a = f.region.construct<long>(std::string(name) + " a", 100);
    long &b = f.region.construct<long>(std::string(name) + " b", 100);
    const auto transfer = [&](bool survives) {
        auto held = bank.lock.lock();
        CHECK(!held.owner_died());
        bank.undo.record(a);
        bank.undo.record(&b, sizeof b);
        a -= 7;
        if (!survives)
            raise(SIGKILL);
        b += 7;
    };

    transfer(true);
    pid_t dies = process([&] { transfer(false); });
    CHECK(waitpid(dies, nullptr, 0) == dies && a == 86);
    CHECK(!bank.lock.lock().owner_died() && a == 93 && b == 107);
    {
        auto held = bank.lock.lock();
        bank.undo.record(a);
        a = 0;
        bank.undo.undo();
        CHECK(a == 93);
        bank.undo.commit();
        long elsewhere = 0;
        CHECK(throws(EINVAL, [&] { bank.undo.record(elsewhere); }));
    }
    CHECK(throws(EPROTO,
                 [&] { (void)ipc::journaled<Lock>::find_or_construct(f.region, name, 2048); }));
    f.region.leave();
}

} // namespace

void counts_and_journals(fixture &f)
{
    semaphores(f);
    permits(f);
    barriers(f);
    events(f);
    event_storm(f);
    latch_storm(f);
    once(f);
    journals<ipc::mutex>(f, "bank");
    journals<ipc::shared_mutex>(f, "prices");
}
