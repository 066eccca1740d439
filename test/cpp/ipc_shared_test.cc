// SPDX-License-Identifier: MIT
#include "ipc_fixture.hpp"

#include <sys/mman.h>

/* Part of ipc_test.cc: shared mutexes and condition variables. */
namespace {

void shared_modes(fixture &f)
{
    ipc::shared_mutex &m = f.s.prices;

    kill_and_wait(f.stays([&] { return m.lock_shared(); }));
    kill_and_wait(f.stays([&] { return m.lock_upgrade(); }));
    CHECK(!m.lock().owner_died()); /* readers leave nothing */
    {
        ipc::shared_guard reading = m.lock_shared();
        CHECK(reading && reading.mutex() == &m && m.held_by_me() == FW_IPC_RWLOCK_READ);
        join(process([&] {
            CHECK(m.try_lock_shared() && m.try_lock_shared_for(1h, fw::wait_policy::block()));
            CHECK(m.try_lock_shared_until(std::chrono::steady_clock::now()));
            CHECK(!m.try_lock() && !m.try_lock_for(1ms));
            CHECK(!m.try_lock_until(std::chrono::system_clock::now()));
        }));
        std::thread([&] { CHECK(throws(EPERM, [&] { reading.unlock(); })); }).join();
        CHECK(reading && m.held_by_me() == FW_IPC_RWLOCK_READ);
        reading.unlock();
        CHECK(!reading && m.held_by_me() == FW_IPC_RWLOCK_NONE);
        CHECK(throws(EPERM, [&] { reading.unlock(); }));
    }
}

/* What is assigned to lets go of what it held, at once. */
void moved_readers(fixture &f)
{
    ipc::shared_mutex &m = f.s.prices;
    ipc::shared_guard nothing, reading = m.lock_shared();
    ipc::upgrade_guard no_upgrade, upgradable = m.lock_upgrade();

    reading = std::move(nothing);
    upgradable = std::move(no_upgrade);
    CHECK(!reading && !nothing && !upgradable && !no_upgrade);
    CHECK(m.held_by_me() == FW_IPC_RWLOCK_NONE);
    reading = m.lock_shared();
    ipc::shared_guard &same = reading;
    reading = std::move(same);
    CHECK(reading);
}

/* A writer that died is told of to readers, too, who get nothing. */
void shared_deaths(fixture &f)
{
    ipc::shared_mutex &m = f.s.prices;

    kill_and_wait(f.stays([&] { return m.lock(); }));
    CHECK(m.lock_shared().owner_died() && !m.lock_shared() && m.try_lock_upgrade().owner_died());
    ipc::guard<ipc::shared_mutex> writing = m.lock();
    CHECK(writing.owner_died() &&
          throws(EOWNERDEAD, [&] { (void)std::move(writing).downgrade(); }));
    writing.repair([] {});
    ipc::shared_guard reading = std::move(writing).downgrade();
    CHECK(reading && !writing && m.held_by_me() == FW_IPC_RWLOCK_READ);
    reading.unlock();
}

void upgrades(fixture &f)
{
    ipc::shared_mutex &m = f.s.prices;
    ipc::guard<ipc::shared_mutex> writing;
    ipc::shared_guard reading;

    ipc::upgrade_guard upgradable = m.lock_upgrade();
    join(process([&] {
        CHECK(m.try_lock_shared());
        CHECK(!m.try_lock_upgrade() && !m.try_lock_upgrade_for(1ms));
    }));
    const pid_t reader = f.stays([&] { return m.lock_shared(); });
    CHECK(!std::move(upgradable).try_upgrade() && upgradable);
    CHECK(!std::move(upgradable).try_upgrade_for(1ms) && upgradable);
    kill_and_wait(reader);
    writing = std::move(upgradable).upgrade();
    CHECK(writing && !upgradable && m.held_by_me() == FW_IPC_RWLOCK_WRITE);
    upgradable = std::move(writing).downgrade_upgradable();
    reading = std::move(upgradable).downgrade();
    CHECK(reading && !upgradable);
    reading.unlock();
    CHECK(throws(EPERM, [&] { (void)std::move(upgradable).upgrade(); }));
    CHECK(m.held_by_me() == FW_IPC_RWLOCK_NONE);
}

void conditions(fixture &f)
{
    shared &s = f.s;
    const auto is_wanted = [&] { return s.wanted != 0; };
    const auto later = [] { return std::chrono::system_clock::now() + 1h; };

    auto held = s.lock.lock();
    CHECK(s.changed.wait_for(held, 1ms) != ipc::wait_result::owner_died);
    CHECK(s.changed.wait_for(held, 1ms, is_wanted) == ipc::wait_result::timeout);
    CHECK(!s.changed.wait_for(held, 1ms, is_wanted, [] {}));
    for (int way = 0; way < 5; way++) {
        s.wanted = 0;
        const pid_t other = process([&] {
            auto mine = s.lock.lock();
            s.wanted = 1;
            way % 2 == 0 ? s.changed.notify_one() : s.changed.notify_all();
        });
        const auto none = [] { CHECK(false); };
        switch (way) {
        case 0:
            while (!is_wanted())
                CHECK(s.changed.wait(held) == ipc::wait_result::woken);
            break;
        case 1:
            CHECK(s.changed.wait(held, is_wanted) == ipc::wait_result::woken);
            break;
        case 2:
            s.changed.wait(held, is_wanted, none);
            break;
        case 3:
            CHECK(s.changed.wait_until(held, later(), is_wanted) == ipc::wait_result::woken);
            break;
        default:
            CHECK(s.changed.wait_until(held, later(), is_wanted, none));
        }
        CHECK(held.owns_lock() && s.lock.is_held_by_me());
        join(other);
    }
}

/* A waiter learns of the death of an owner, and goes on when it has repaired. */
void deaths_while_waiting(fixture &f)
{
    shared &s = f.s;
    const auto is_wanted = [&] { return s.wanted != 0; };
    auto held = s.lock.lock();

    s.wanted = 0;
    pid_t owner = process([&] {
        auto mine = s.lock.lock();
        s.changed.notify_one();
        raise(SIGKILL);
    });
    CHECK(s.changed.wait(held, is_wanted) == ipc::wait_result::owner_died && held.owner_died());
    CHECK(throws(EOWNERDEAD, [&] { (void)s.changed.wait(held); }));
    CHECK(s.changed.wait_for(held, 1h, is_wanted) == ipc::wait_result::owner_died);
    CHECK(waitpid(owner, nullptr, 0) == owner);
    s.changed.wait(held, is_wanted, [&](const ipc::death &d) {
        CHECK(d.process == owner);
        s.wanted = 1;
    });
    CHECK(!held.owner_died());
    held.unlock();
    CHECK(throws(EPERM, [&] { (void)s.changed.wait(held); }));
    auto &elsewhere = f.region.construct<ipc::condition_variable>("changed");
    elsewhere.notify_all();
    CHECK(f.region.find<ipc::condition_variable>("changed") == &elsewhere);

    ipc::region far = ipc::region::create_fd(memfd_create("furwock-cpp", 0), 1 << 16);
    held = s.lock.lock();
    CHECK(throws(EINVAL, [&] { (void)far.construct<ipc::condition_variable>("far").wait(held); }));
    CHECK(held.owns_lock());
}

} // namespace

void readers_and_waiters(fixture &f)
{
    shared_modes(f);
    moved_readers(f);
    shared_deaths(f);
    upgrades(f);
    conditions(f);
    deaths_while_waiting(f);
}
