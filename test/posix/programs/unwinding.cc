// SPDX-License-Identifier: MIT
// A C++ program under the drop-in: the standard library's locks, exceptions and cancellation that
// pass through waits, and locks that are used before main, by leaving threads, and after main.
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#define CHECK(condition)                                                                \
    do {                                                                                \
        if (!(condition)) {                                                             \
            std::fprintf(stderr, "unwinding: line %d: not %s\n", __LINE__, #condition); \
            std::_Exit(1);                                                              \
        }                                                                               \
    } while (0)

using namespace std::chrono_literals;

static std::mutex early;
static int constructed;

// Locks before main and after it.
struct Global {
    Global()
    {
        std::lock_guard<std::mutex> held(early);
        constructed++;
    }
    ~Global()
    {
        std::lock_guard<std::mutex> held(early);
        CHECK(--constructed == 0);
    }
} global;

// Locks when its thread leaves.
static std::mutex leaving;
static int left;
struct Local {
    int touched = 0;
    ~Local()
    {
        std::lock_guard<std::mutex> held(leaving);
        left++;
    }
};
static thread_local Local local;

static void exceptions()
{
    std::mutex mutex;
    std::condition_variable ready;
    for (int i = 0; i < 1000; i++) {
        try {
            std::unique_lock<std::mutex> held(mutex);
            ready.wait_for(held, 1us, [i]() -> bool {
                if (i % 2)
                    throw std::runtime_error("thrown by what is waited for");
                return false;
            });
        } catch (const std::runtime_error &) {
        }
        CHECK(mutex.try_lock());
        mutex.unlock();
    }
    std::recursive_mutex again;
    std::lock_guard<std::recursive_mutex> one(again), two(again);
    std::timed_mutex timed;
    timed.lock();
    auto other = std::async(std::launch::async, [&] { return timed.try_lock_for(5ms); });
    CHECK(!other.get());
    timed.unlock();
}

static void queue()
{
    std::mutex mutex;
    std::condition_variable_any full, empty;
    std::vector<int> items;
    long sum = 0;
    const int pieces = 4000;
    auto consume = [&] {
        for (int i = 0; i < pieces; i++) {
            std::unique_lock<std::mutex> held(mutex);
            full.wait(held, [&] { return !items.empty(); });
            sum += items.back();
            items.pop_back();
            empty.notify_one();
        }
    };
    auto produce = [&] {
        local.touched = 1;
        for (int i = 0; i < pieces; i++) {
            std::unique_lock<std::mutex> held(mutex);
            empty.wait(held, [&] { return items.size() < 4; });
            items.push_back(i);
            full.notify_one();
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back(consume);
        threads.emplace_back(produce);
    }
    for (auto &thread : threads)
        thread.join();
    CHECK(sum == 3L * pieces * (pieces - 1) / 2 && items.empty());
    CHECK(left == 3);
}

static void sharing()
{
    std::shared_mutex shared;
    std::shared_timed_mutex timed;
    long value = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++)
        threads.emplace_back([&, i] {
            for (int n = 0; n < 2000; n++) {
                if (i < 2) {
                    std::unique_lock<std::shared_mutex> held(shared);
                    value++;
                } else {
                    std::shared_lock<std::shared_mutex> held(shared);
                    CHECK(value >= 0);
                }
                std::shared_lock<std::shared_timed_mutex> held(timed, 1s);
                CHECK(held.owns_lock());
            }
        });
    for (auto &thread : threads)
        thread.join();
    CHECK(value == 4000);
    shared.lock_shared();
    CHECK(!std::async(std::launch::async, [&] { return shared.try_lock(); }).get());
    shared.unlock_shared();
}

// What a cancelled thread leaves: its destructors ran, with the mutex held where POSIX says so.
struct Waiter {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    sem_t sem;
    int waiting = 0, held = 0, unwound = 0;
};

struct Unlock {
    Waiter &w;
    ~Unlock()
    {
        w.held += pthread_mutex_trylock(&w.mutex) == EBUSY;
        w.unwound++;
        pthread_mutex_unlock(&w.mutex);
    }
};

static void *wait_cond(void *argument)
{
    auto &w = *static_cast<Waiter *>(argument);
    pthread_mutex_lock(&w.mutex);
    Unlock unlock{w};
    w.waiting++;
    for (;;)
        pthread_cond_wait(&w.cond, &w.mutex);
}

static void *wait_sem(void *argument)
{
    auto &w = *static_cast<Waiter *>(argument);
    struct Count {
        Waiter &w;
        ~Count()
        {
            __atomic_fetch_add(&w.unwound, 1, __ATOMIC_RELAXED);
        }
    } count{w};
    __atomic_fetch_add(&w.waiting, 1, __ATOMIC_RELEASE);
    for (;;)
        sem_wait(&w.sem);
}

static void cancellation(void *(*body)(void *), int holds)
{
    const int threads = 8;
    for (int round = 0; round < 20; round++) {
        Waiter w;
        sem_init(&w.sem, 0, 0);
        pthread_t made[threads];
        for (auto &thread : made)
            CHECK(!pthread_create(&thread, nullptr, body, &w));
        while (__atomic_load_n(&w.waiting, __ATOMIC_ACQUIRE) < (round % 2 ? threads : 0))
            std::this_thread::yield();
        for (auto thread : made)
            CHECK(!pthread_cancel(thread));
        int entered = 0;
        for (auto thread : made) {
            void *result;
            CHECK(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
        }
        entered = w.unwound;
        CHECK(!(round % 2) || entered == threads);
        CHECK(!holds || w.held == entered);
        CHECK(!pthread_mutex_trylock(&w.mutex));
        pthread_mutex_unlock(&w.mutex);
        CHECK(!pthread_cond_destroy(&w.cond));
        sem_destroy(&w.sem);
    }
}

int main()
{
    CHECK(constructed == 1);
    exceptions();
    queue();
    sharing();
    cancellation(wait_cond, 1);
    cancellation(wait_sem, 0);
    std::once_flag once;
    int ran = 0;
    try {
        std::call_once(once, [] { throw std::runtime_error("not yet"); });
    } catch (const std::runtime_error &) {
    }
    std::call_once(once, [&] { ran++; });
    CHECK(ran == 1);
    return 0;
}
