// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <furwock.hpp>

/* Times of <chrono> as deadlines: exact, rounded up, and never overflowing. */
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;
using std::chrono::system_clock;

bool is(const timespec &t, std::time_t s, long ns)
{
    return t.tv_sec == s && t.tv_nsec == ns;
}

constexpr std::time_t far = static_cast<std::time_t>(fw::detail::far_seconds);

void durations()
{
    using fw::detail::to_timespec;
    using femto = duration<long long, std::femto>;
    using thirds = duration<int, std::ratio<1, 3>>;
    using ages = duration<long long, std::ratio<31556952000000000>>;

    CHECK(is(to_timespec(0s), 0, 0));
    CHECK(is(to_timespec(1500ms), 1, 500000000));
    CHECK(is(to_timespec(999999999ns), 0, 999999999));
    CHECK(is(to_timespec(2h), 7200, 0));
    CHECK(is(to_timespec(femto(1)), 0, 1));
    CHECK(is(to_timespec(femto(999999999999999)), 1, 0));
    CHECK(is(to_timespec(thirds(1)), 0, 333333334));
    CHECK(is(to_timespec(duration<double>(0.25)), 0, 250000000));
    CHECK(is(to_timespec(duration<double, std::nano>(0.25)), 0, 1));
    CHECK(is(to_timespec(duration<unsigned char>(200)), 200, 0));
    /* What is over, however long. */
    CHECK(is(to_timespec(-1ns), 0, 0));
    CHECK(is(to_timespec(std::chrono::nanoseconds::min()), 0, 0));
    CHECK(is(to_timespec(std::chrono::hours::min()), 0, 0));
    CHECK(is(to_timespec(duration<double>(-1e300)), 0, 0));
    /* What never comes. */
    CHECK(is(to_timespec(std::chrono::nanoseconds::max()), 9223372036, 854775807));
    CHECK(is(to_timespec(std::chrono::seconds::max()), far, 0));
    CHECK(is(to_timespec(std::chrono::hours::max()), far, 0));
    CHECK(is(to_timespec(ages::max()), far, 0));
    CHECK(is(to_timespec(duration<double>(1e300)), far, 0));
    CHECK(is(to_timespec(duration<double>(std::numeric_limits<double>::infinity())), far, 0));
    CHECK(is(to_timespec(duration<double>(std::numeric_limits<double>::quiet_NaN())), far, 0));
}

void points()
{
    using fw::detail::to_deadline;
    fw_deadline d = to_deadline(steady_clock::time_point(1234567890123ns));

    CHECK(d.clock == CLOCK_MONOTONIC && is(d.at, 1234, 567890123));
    d = to_deadline(system_clock::time_point(std::chrono::microseconds(1700000000000001)));
    CHECK(d.clock == CLOCK_REALTIME && is(d.at, 1700000000, 1000));
    d = to_deadline(std::chrono::time_point<system_clock, std::chrono::seconds>(-5s));
    CHECK(d.clock == CLOCK_REALTIME && is(d.at, 0, 0));
    d = to_deadline(steady_clock::time_point::max());
    CHECK(d.clock == CLOCK_MONOTONIC && d.at.tv_sec == 9223372036);
}

/* The two clocks are counted from where the kernel counts them. */
void origins()
{
    timespec before, after;
    fw_deadline now;

    clock_gettime(CLOCK_MONOTONIC, &before);
    now = fw::detail::to_deadline(steady_clock::now());
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(now.at.tv_sec >= before.tv_sec && now.at.tv_sec <= after.tv_sec);
    clock_gettime(CLOCK_REALTIME, &before);
    now = fw::detail::to_deadline(system_clock::now());
    clock_gettime(CLOCK_REALTIME, &after);
    CHECK(now.at.tv_sec >= before.tv_sec && now.at.tv_sec <= after.tv_sec);
}

/* A clock of its own: it began a moment ago, counts down to it, and runs at half speed. */
struct slow_clock {
    using rep = long long;
    using period = std::micro;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<slow_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static time_point now()
    {
        static const steady_clock::time_point begin = steady_clock::now();

        return time_point(
            std::chrono::duration_cast<duration>((steady_clock::now() - begin) / 2 - 1h));
    }
};

void a_foreign_clock()
{
    fw::mutex m;
    slow_clock::time_point at;
    steady_clock::time_point begin = steady_clock::now();

    m.lock();
    elsewhere([&] {
        at = slow_clock::now() + 20ms;
        CHECK(!m.try_lock_until(at));
    });
    CHECK(slow_clock::now() >= at); /* so it was looked at again */
    CHECK(steady_clock::now() - begin >= 40ms);
    m.unlock();
    elsewhere([&] {
        CHECK(m.try_lock_until(slow_clock::time_point::max()));
        m.unlock();
    });
}

/* A wait on a foreign clock that is not there yet ends without a time-out. */
void a_foreign_clock_and_a_condition()
{
    fw::mutex m;
    fw::condition_variable c;
    std::unique_lock lock(m);
    slow_clock::time_point at = slow_clock::now() + 10ms;

    while (c.wait_until(lock, at) != std::cv_status::timeout)
        CHECK(lock.owns_lock());
    CHECK(slow_clock::now() >= at);
    at += 10ms;
    CHECK(!c.wait_until(lock, at, [] { return false; }));
    CHECK(slow_clock::now() >= at);
}

/* Far deadlines are waited for, and do not pass. */
template <class Wait> void ends_by_an_event(Wait wait)
{
    fw::event e;
    std::thread other([&] {
        doze();
        e.set();
    });

    CHECK(wait(e));
    other.join();
}

void far_away()
{
    ends_by_an_event([](fw::event &e) { return e.wait_for(std::chrono::hours::max()); });
    ends_by_an_event([](fw::event &e) { return e.wait_for(std::chrono::nanoseconds::max()); });
    ends_by_an_event([](fw::event &e) { return e.wait_for(duration<double>(1e30)); });
    ends_by_an_event([](fw::event &e) { return e.wait_until(steady_clock::time_point::max()); });
    ends_by_an_event([](fw::event &e) { return e.wait_until(system_clock::time_point::max()); });
    ends_by_an_event([](fw::event &e) { return e.wait_until(slow_clock::time_point::max()); });
    ends_by_an_event([](fw::event &e) {
        using hours = std::chrono::time_point<system_clock, std::chrono::hours>;
        return e.wait_until(hours::max());
    });
}

void long_ago()
{
    fw::event e;

    CHECK(!e.wait_for(0s) && !e.wait_for(-1h) && !e.wait_for(std::chrono::hours::min()));
    CHECK(!e.wait_until(steady_clock::time_point::min()));
    CHECK(!e.wait_until(system_clock::time_point::min()));
    CHECK(!e.wait_until(slow_clock::time_point::min()));
    e.set();
    CHECK(e.wait_for(-1h) && e.wait_until(system_clock::time_point::min()));
}

void not_too_early()
{
    fw::event e;
    const steady_clock::time_point steady = steady_clock::now() + 3ms;
    const system_clock::time_point system = system_clock::now() + 6ms;

    CHECK(!e.wait_until(steady) && steady_clock::now() >= steady);
    CHECK(!e.wait_until(system) && system_clock::now() >= system);
    const steady_clock::time_point begin = steady_clock::now();
    CHECK(!e.wait_for(3ms) && steady_clock::now() - begin >= 3ms);
}

} // namespace

int main()
{
    durations();
    points();
    origins();
    a_foreign_clock();
    a_foreign_clock_and_a_condition();
    far_away();
    long_ago();
    not_too_early();
    return 0;
}
