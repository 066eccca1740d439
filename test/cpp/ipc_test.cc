// SPDX-License-Identifier: MIT
#include "ipc_fixture.hpp"

#include <mutex>

#include <sys/mman.h>

/* The classes of fw::ipc, in processes that are killed: regions, mutexes, and their guards. */
namespace {

/* There is no way to lock without the question whether an owner died. */
template <class L, class = void> constexpr bool has_unlock = false;
template <class L>
constexpr bool has_unlock<L, std::void_t<decltype(std::declval<L &>().unlock())>> = true;
static_assert(!has_unlock<ipc::mutex> && !has_unlock<ipc::shared_mutex>);
static_assert(has_unlock<ipc::guard<ipc::mutex>> && has_unlock<ipc::shared_guard>);
static_assert(!std::is_copy_constructible_v<ipc::region> &&
              !std::is_copy_constructible_v<ipc::permit>);
static_assert(std::is_nothrow_move_constructible_v<ipc::region>);
static_assert(std::is_nothrow_move_constructible_v<ipc::guard<ipc::mutex>>);
static_assert(sizeof(ipc::mutex) == sizeof(fw_ipc_mutex));

void regions(fixture &f)
{
    ipc::region again = ipc::region::open(f.name), none;
    const std::string missing = f.name + "-missing";

    CHECK(again && again.base() == f.region.base() && again.size() >= 1 << 20 && !none);
    CHECK(again.owner() == geteuid() && none.base() == nullptr && none.size() == 0);
    CHECK(throws(ENOENT, [&] { (void)ipc::region::open(missing); }));
    CHECK(throws(EEXIST, [&] {
        (void)ipc::region::create(f.name, 1 << 20, ipc::region::exclusive | ipc::region::stamp);
    }));
    CHECK(throws(EINVAL, [&] { (void)ipc::region::create(missing, 1); }));
    CHECK(!ipc::region::remove(missing));
    none = std::move(again);
    CHECK(none && !again);
    none.close();
    CHECK(!none && throws(EINVAL, [&] { none.close(); }));
    CHECK(throws(EINVAL, [&] { (void)none.find<long>("x"); }));

    CHECK(f.region.find<shared>("shared") == &f.s && f.region.find<long>("nothing") == nullptr);
    CHECK(&f.region.find_or_construct<shared>("shared") == &f.s);
    CHECK(throws(EEXIST, [&] { f.region.construct<shared>("shared"); }));
    CHECK(throws(EPROTO, [&] { (void)f.region.find<ipc::mutex>("shared"); }));
    CHECK(f.region.find_or_construct<long>("seven", 7) == 7);
    CHECK(f.region.find_or_construct<long>("seven", 8) == 7);
    struct fails {
        explicit fails(int n)
        {
            throw n;
        }
    };
    for (int n = 0; n < 2; n++) { /* nothing is left of the first try */
        int thrown = -1;
        try {
            f.region.construct<fails>("fails", n);
        } catch (int t) {
            thrown = t;
        }
        CHECK(thrown == n);
    }
    CHECK(f.region.find<fails>("fails") == nullptr);
}

/* In an open file, and in memory of the user's own. */
void other_regions()
{
    const int fd = memfd_create("furwock-cpp", 0);
    {
        ipc::region here = ipc::region::create_fd(fd, 1 << 16);
        here.construct<int>("three", 3);
        ipc::region there = ipc::region::open_fd(fd);
        CHECK(*there.find<int>("three") == 3);
    }
    close(fd);
    void *memory =
        mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    {
        ipc::region adopted = ipc::region::adopt(memory, 1 << 16);
        CHECK(adopted.base() == memory);
        auto held = adopted.construct<ipc::mutex>("m").lock();
        CHECK(held.owns_lock());
    }
    munmap(memory, 1 << 16);
}

void mutexes(fixture &f)
{
    shared &s = f.s;
    enum { PROCESSES = 3, TIMES = 2000 };
    pid_t child[PROCESSES];

    for (pid_t &c : child)
        c = process([&] {
            for (int i = 0; i < TIMES; i++) {
                auto held = i % 2 != 0 ? s.lock.lock() : s.lock.lock(fw::wait_policy::yield());
                CHECK(held.owns_lock() && !held.owner_died() && held.mutex() == &s.lock);
                s.count++;
            }
        });
    for (pid_t c : child)
        join(c);
    CHECK(s.count == PROCESSES * TIMES);

    ipc::guard<ipc::mutex> held = s.lock.lock();
    const std::uint64_t generation = held.generation();
    CHECK(s.lock.is_held_by_me() && generation > PROCESSES * TIMES && !held.last_death());
    CHECK(throws(EDEADLK, [&] { (void)s.lock.lock(); }));
    CHECK(throws(EINVAL, [&] { held.consistent(); }));
    join(process([&] {
        CHECK(!s.lock.try_lock() && !s.lock.try_lock_for(1ms));
        CHECK(!s.lock.try_lock_until(std::chrono::system_clock::now()));
    }));
    std::thread([&] { CHECK(throws(EPERM, [&] { held.unlock(); })); }).join();
    CHECK(held && s.lock.is_held_by_me());
    ipc::guard<ipc::mutex> moved = std::move(held);
    CHECK(!held && moved && throws(EPERM, [&] { held.unlock(); }));
    moved.unlock();
    CHECK(!moved && !s.lock.is_held_by_me() && throws(EPERM, [&] { moved.consistent(); }));
}

/* Each lock call tells of the death of the owner. */
void deaths(fixture &f)
{
    shared &s = f.s;
    ipc::guard<ipc::mutex> held;

    for (int way = 0; way < 4; way++) {
        const pid_t owner = f.stays([&] { return s.lock.lock(); });
        kill_and_wait(owner);
        held = way == 0   ? s.lock.lock()
               : way == 1 ? s.lock.try_lock()
               : way == 2 ? s.lock.try_lock_for(1h)
                          : s.lock.try_lock_until(std::chrono::system_clock::now() + 1h);
        CHECK(held.owner_died() && held.last_death()->process == owner);
        if (way % 2 == 0)
            held.consistent();
        else
            held.repair([&](const ipc::death &d) { CHECK(d.process == owner); });
        CHECK(!held.owner_died());
        held.unlock();
    }
    CHECK(!s.lock.lock().repair([] { CHECK(false); }).owner_died());
}

/* Who does not ask makes it unusable, and so does a repair that fails. */
void unusable(fixture &f)
{
    ipc::mutex &careless = f.region.construct<ipc::mutex>("careless");
    ipc::mutex &failing = f.region.construct<ipc::mutex>("failing");

    kill_and_wait(f.stays([&] { return std::pair(careless.lock(), failing.lock()); }));
    (void)careless.lock();
    CHECK(throws(ENOTRECOVERABLE, [&] { (void)careless.lock(); }));
    CHECK(throws(ENOTRECOVERABLE, [&] { (void)careless.try_lock(); }));
    CHECK(throws(ENOSPC, [&] {
        (void)failing.lock().repair([] { ipc::detail::check(ENOSPC, "repair"); });
    }));
    CHECK(throws(ENOTRECOVERABLE, [&] { (void)failing.try_lock_for(1h); }));
}

void standard_guards(fixture &f)
{
    shared &s = f.s;
    enum { TIMES = 1000 };
    int repaired = 0;
    ipc::lockable a(s.lock, [&](const ipc::death &) { repaired++; });
    ipc::lockable b(s.prices, [&] { repaired++; });
    pid_t child[2];

    s.count = 0;
    for (int n = 0; n < 2; n++)
        child[n] = process([&] {
            for (int i = 0; i < TIMES; i++)
                if (n == 0) {
                    std::scoped_lock both(a, b);
                    s.count++;
                } else {
                    std::unique_lock x(a, std::defer_lock);
                    std::unique_lock y(b, 1h);
                    y.unlock();
                    std::lock(y, x);
                    s.count++;
                }
        });
    for (pid_t c : child)
        join(c);
    CHECK(s.count == 2 * TIMES && repaired == 0);
    kill_and_wait(f.stays([&] { return std::pair(s.lock.lock(), s.prices.lock()); }));
    std::scoped_lock both(a, b);
    CHECK(repaired == 2);
    join(process([&] { CHECK(!a.try_lock() && std::try_lock(b, a) == 0); }));
}

void synchronised(fixture &f)
{
    struct pair {
        long a, b;
    };
    auto &data = f.region.construct<ipc::synchronized<pair>>("pair", 1L, 1L);

    {
        auto held = data.lock();
        held->a = held->b = 5;
        CHECK((*held).a == 5);
    }
    kill_and_wait(f.stays([&] {
        auto held = data.lock();
        held->a++;
        return held;
    }));
    auto held = data.try_lock_for(1h);
    CHECK(held.owner_died() && throws(EOWNERDEAD, [&] { held->a++; }));
    held.unrepaired().b = held.unrepaired().a;
    held.consistent();
    CHECK(held->a == 6 && held->b == 6);
    held.unlock();
    CHECK(throws(EPERM, [&] { held->a++; }) && throws(EPERM, [&] { held.unrepaired(); }));
    CHECK(data.try_lock());
    CHECK(data.try_lock_until(std::chrono::steady_clock::now()));
}

} // namespace

int main()
{
    fixture f;

    regions(f);
    other_regions();
    mutexes(f);
    deaths(f);
    unusable(f);
    standard_guards(f);
    synchronised(f);
    readers_and_waiters(f);
    counts_and_journals(f);
    return 0;
}
