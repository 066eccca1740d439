// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <mutex>

#include <pthread.h>

#include <furwock.hpp>

/* fw::condition_variable. */
namespace {

fw::mutex m;
fw::condition_variable changed;
int turn;

/* Each waits for its turn, by one of the calls. */
void wait_for_turn(std::unique_lock<fw::mutex> &lock, int mine, int way)
{
    const auto is_mine = [mine] { return turn == mine; };

    switch (way) {
    case 0:
        while (!is_mine())
            changed.wait(lock);
        break;
    case 1:
        changed.wait(lock, is_mine);
        break;
    case 2:
        CHECK(changed.wait_for(lock, 1h, is_mine));
        break;
    case 3:
        CHECK(changed.wait_until(lock, std::chrono::system_clock::now() + 1h, is_mine));
        break;
    default:
        while (!is_mine())
            CHECK(changed.wait_until(lock, std::chrono::steady_clock::now() + 1h) ==
                  std::cv_status::no_timeout);
    }
    CHECK(lock.owns_lock());
}

void turns()
{
    enum { THREADS = 3, ROUNDS = 1000 };

    turn = 0;
    in_threads(THREADS, [](int me) {
        for (int i = 0; i < ROUNDS; i++) {
            std::unique_lock lock(m);
            wait_for_turn(lock, me, (i + me) % 5);
            turn = (turn + 1) % THREADS;
            changed.notify_all();
        }
    });
    CHECK(turn == 0);
}

void one_by_one()
{
    enum { THREADS = 4 };
    int tickets = 0, served = 0;
    std::vector<std::thread> threads;

    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([&] {
            std::unique_lock lock(m);
            changed.wait(lock, [&] { return tickets > 0; });
            tickets--;
            served++;
        });
    for (int i = 0; i < THREADS; i++) {
        {
            std::lock_guard guard(m);
            tickets++;
        }
        changed.notify_one();
    }
    for (std::thread &t : threads)
        t.join();
    CHECK(served == THREADS && tickets == 0);
}

void time_outs()
{
    std::unique_lock lock(m);
    const auto never = [] { return false; };
    const auto always = [] { return true; };
    const auto begin = std::chrono::steady_clock::now();

    while (changed.wait_for(lock, 2ms) != std::cv_status::timeout)
        continue; /* a spurious wake */
    CHECK(std::chrono::steady_clock::now() - begin >= 2ms);
    CHECK(changed.wait_until(lock, begin) == std::cv_status::timeout);
    CHECK(!changed.wait_for(lock, 2ms, never));
    CHECK(!changed.wait_until(lock, std::chrono::system_clock::now() + 2ms, never));
    CHECK(changed.wait_for(lock, -1h, always));
    CHECK(changed.wait_until(lock, begin, always));
    CHECK(lock.owns_lock());
}

/* A cancelled thread leaves with the mutex, and its destructors give it back. */
void cancellation()
{
    static fw::event waits;
    pthread_t thread;

    CHECK(pthread_create(
              &thread, nullptr,
              [](void *) -> void * {
                  std::unique_lock lock(m);
                  waits.set();
                  for (;;)
                      changed.wait(lock);
              },
              nullptr) == 0);
    waits.wait();
    doze();
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    CHECK(m.try_lock());
    m.unlock();
}

} // namespace

int main()
{
    turns();
    one_by_one();
    time_outs();
    cancellation();
    return 0;
}
