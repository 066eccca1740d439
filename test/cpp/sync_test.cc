// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <atomic>
#include <memory>

#include <furwock.hpp>

/* fw::counting_semaphore, fw::event, fw::latch and fw::barrier. */
namespace {

void semaphores()
{
    fw::counting_semaphore<3> s(1);
    fw::binary_semaphore b(0);

    s.acquire();
    CHECK(!s.try_acquire() && !s.try_acquire_for(1ms));
    CHECK(!s.try_acquire_until(std::chrono::system_clock::now()));
    s.release(2);
    s.release();
    CHECK(throws(EOVERFLOW, [&] { s.release(); }));
    CHECK(throws(EOVERFLOW, [&] { s.release(-1); }));
    CHECK(s.try_acquire() && s.try_acquire_for(0s));
    CHECK(s.try_acquire_until(std::chrono::steady_clock::now()) && !s.try_acquire());
    std::thread other([&] { b.acquire(); });
    doze();
    b.release();
    other.join();
    b.release();
    CHECK(throws(EOVERFLOW, [&] { b.release(); }));
    CHECK(throws(EINVAL, [] { fw::binary_semaphore(2); }));
    CHECK(throws(EINVAL, [] { fw::counting_semaphore<>(-1); }));
    fw::counting_semaphore<> largest(fw::counting_semaphore<>::max());
    CHECK(throws(EOVERFLOW, [&] { largest.release(); }));
}

void events()
{
    fw::event manual, automatic(fw::event_kind::automatic);

    CHECK(!manual.is_set() && !manual.try_wait() && !manual.wait_for(1ms));
    manual.set();
    CHECK(manual.is_set() && manual.try_wait() && manual.wait_for(0s));
    manual.wait();
    manual.reset();
    CHECK(!manual.is_set());
    automatic.set();
    CHECK(automatic.wait_until(std::chrono::steady_clock::now()) && !automatic.try_wait());
    std::thread other([&] { automatic.wait(); });
    automatic.set();
    other.join();
}

void latches()
{
    enum { THREADS = 4 };
    fw::latch all(THREADS), two(2);
    std::atomic<int> came = 0;

    in_threads(THREADS, [&](int) {
        came++;
        all.arrive_and_wait();
        CHECK(came == THREADS);
    });
    all.wait();
    CHECK(all.try_wait() && all.wait_for(0s));
    two.count_down(0);
    CHECK(!two.try_wait() && !two.wait_for(1ms));
    CHECK(!two.wait_until(std::chrono::system_clock::now()));
    two.count_down(2);
    const fw::latch &seen = two;
    seen.wait();
    CHECK(seen.try_wait() && fw::latch(0).try_wait());
    CHECK(throws(EINVAL, [] { fw::latch(-1); }));
    CHECK(throws(EINVAL, [] { fw::latch(fw::latch::max() + 1); }));
}

void rounds_with_a_completion()
{
    enum { THREADS = 3, ROUNDS = 2000 };
    int completed = 0;
    std::atomic<int> arrived = 0;
    const auto completion = [&]() noexcept { CHECK(arrived == THREADS * ++completed); };
    fw::barrier step(THREADS, completion);

    in_threads(THREADS, [&](int me) {
        for (int i = 0; i < ROUNDS; i++) {
            arrived++;
            if (me == 0)
                step.wait(step.arrive());
            else
                step.arrive_and_wait();
            CHECK(completed >= i + 1 && completed <= i + 2);
        }
    });
    CHECK(completed == ROUNDS);
}

void leaving_one_after_the_other()
{
    enum { THREADS = 4 };
    fw::barrier<> step(THREADS);
    std::atomic<int> here = THREADS;

    in_threads(THREADS, [&](int me) {
        for (int i = 0; i < me; i++)
            step.arrive_and_wait();
        here--;
        step.arrive_and_drop();
    });
    CHECK(here == 0);
}

/* Whoever returns first may unmake the barrier. */
void unmade_by_the_first()
{
    enum { THREADS = 3, TIMES = 200 };

    for (int i = 0; i < TIMES; i++) {
        auto step = std::make_unique<fw::barrier<>>(THREADS);
        std::atomic<bool> gone = false;

        in_threads(THREADS, [&, b = step.get()](int) {
            b->arrive_and_wait();
            if (!gone.exchange(true))
                step.reset();
        });
    }
}

void barriers()
{
    fw::barrier<> several(5);
    auto token = several.arrive(3);

    (void)several.arrive(2);
    several.wait(std::move(token));
    CHECK(throws(EINVAL, [] { fw::barrier<>(0); }));
    CHECK(throws(EINVAL, [] { fw::barrier<>(-1); }));
    CHECK(throws(EINVAL, [] { fw::barrier<>(fw::barrier<>::max() + 1); }));
    rounds_with_a_completion();
    leaving_one_after_the_other();
    unmade_by_the_first();
}

} // namespace

int main()
{
    semaphores();
    events();
    latches();
    barriers();
    return 0;
}
