// SPDX-License-Identifier: MIT
// The same for the C++ classes.
#include <furwock.hpp>

#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

enum { THREADS = 3, TIMES = 200 };

fw::mutex mutex, other;
fw::shared_mutex shared;
fw::condition_variable turned;
fw::once_flag once;
long turn, counted, both, made;

struct completion {
    void operator()() noexcept
    {
        ++rounds;
    }
    static inline long rounds;
};

fw::barrier<completion> barrier(THREADS);

void work(int me)
{
    fw::call_once(once, [] { made = 1; });
    for (int i = 0; i < TIMES; i++) {
        {
            std::unique_lock lock(mutex);
            turned.wait(lock, [me] { return turn % THREADS == me; });
            ++turn;
            turned.notify_all();
        }
        {
            std::lock_guard lock(shared);
            counted += made;
        }
        {
            std::shared_lock lock(shared);
            if (counted < 0)
                std::abort();
        }
        {
            std::scoped_lock lock(mutex, other);
            ++both;
        }
#ifdef RACE
        ++both;
#endif
        if (i % 10 == 0)
            barrier.arrive_and_wait();
    }
}

} // namespace

int main()
{
    std::vector<std::thread> threads;

    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, i);
    for (auto &t : threads)
        t.join();
    std::printf("%ld %ld %ld %ld\n", turn, counted, both, completion::rounds);
    return 0;
}
