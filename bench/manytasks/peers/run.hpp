// SPDX-License-Identifier: MIT
#ifndef FW_BENCH_MANYTASKS_RUN_HPP
#define FW_BENCH_MANYTASKS_RUN_HPP

/*
 * One run of manytasks, for the peers in C++: what is done, what is counted, and what is printed.
 * The peers in other languages do the same (README.md).
 */
#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <thread>
#include <unistd.h>
#include <vector>

namespace manytasks {

/* A count that the lock of the same number protects, on a cache line of its own. */
struct alignas(64) count {
    std::uint64_t value = 0;
};

inline std::uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC)
{
    timespec t;

    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(t.tv_nsec);
}

inline std::uint64_t resident_bytes()
{
    unsigned long long all = 0, resident = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");

    if (file == nullptr || std::fscanf(file, "%llu %llu", &all, &resident) != 2)
        std::abort();
    std::fclose(file);
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/* Which lock a task takes next: xorshift, seeded by the run and the task. */
class chooser {
  public:
    chooser(std::uint64_t seed, unsigned task) : x_(seed * 0x9e3779b97f4a7c15u + task + 1)
    {
        next(1);
        next(1);
    }

    unsigned next(unsigned below)
    {
        x_ ^= x_ << 13;
        x_ ^= x_ >> 7;
        x_ ^= x_ << 17;
        return static_cast<unsigned>((x_ >> 32) % below);
    }

  private:
    std::uint64_t x_;
};

class run {
  public:
    static constexpr unsigned SAMPLES = 100000; /* waits of which the time is kept, about */

    /* TASKS LOCKS THREADS PASSES SEED */
    run(int argc, char **argv)
    {
        if (argc < 6) {
            std::fprintf(stderr, "usage: %s TASKS LOCKS THREADS PASSES SEED\n", argv[0]);
            std::exit(2);
        }
        tasks = number(argv[1]);
        locks = number(argv[2]);
        threads = number(argv[3]);
        passes = number(argv[4]);
        seed = number(argv[5]);
        counts = std::vector<count>(locks);
        each = std::max(1u, std::min(passes, SAMPLES / tasks));
        waits.assign(std::size_t{tasks} * each, 0);
    }

    /* Where the time of that wait goes; null: it is not kept.  The first waits for the start. */
    std::uint64_t *wait_of(unsigned task, unsigned pass)
    {
        const unsigned every = std::max(1u, passes / each);

        if (pass == 0 || pass % every != every - 1 || pass / every >= each)
            return nullptr;
        return &waits[std::size_t{task} * each + pass / every];
    }

    void arrive()
    {
        arrived.fetch_add(1, std::memory_order_release);
    }

    void end()
    {
        ended.fetch_add(1, std::memory_order_release);
    }

    /* All tasks exist and have asked for their first lock, which the caller of begin() holds. */
    void begin(std::uint64_t resident_before)
    {
        wait_for(arrived);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        bytes = resident_bytes() - resident_before;
        cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        wall = now_ns();
    }

    /* Returns the program's exit status. */
    int finish(unsigned operation_bytes = 0)
    {
        wait_for(ended);
        wall = now_ns() - wall;
        cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        std::uint64_t sum = 0;
        for (const count &c : counts)
            sum += c.value;
        if (sum != std::uint64_t{tasks} * passes) {
            std::fprintf(stderr, "%llu passes were counted, not %llu: there is no exclusion\n",
                         static_cast<unsigned long long>(sum),
                         static_cast<unsigned long long>(tasks) * passes);
            return 1;
        }
        print(operation_bytes);
        return 0;
    }

    unsigned tasks, locks, threads, passes, seed;
    std::vector<count> counts;

  private:
    static unsigned number(const char *text)
    {
        const long value = std::strtol(text, nullptr, 10);

        if (value < 1 || value > 100000000) {
            std::fprintf(stderr, "%s is no number from 1 to 100000000\n", text);
            std::exit(2);
        }
        return static_cast<unsigned>(value);
    }

    void wait_for(const std::atomic<unsigned> &n) const
    {
        while (n.load(std::memory_order_acquire) != tasks)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
    }

    void print(unsigned operation_bytes)
    {
        waits.erase(std::remove(waits.begin(), waits.end(), 0), waits.end());
        std::sort(waits.begin(), waits.end());
        auto at = [&](double part) {
            return waits.empty() ? 0
                                 : waits[static_cast<std::size_t>(
                                       part * static_cast<double>(waits.size() - 1))];
        };
        std::printf(
            "{\"locks\": %llu, \"seconds\": %.9f, \"cpu_seconds\": %.9f, \"bytes\": %.1f, "
            "\"operation_bytes\": %u, \"wait_ns\": [%llu, %llu, %llu]}\n",
            static_cast<unsigned long long>(tasks) * passes, static_cast<double>(wall) / 1e9,
            static_cast<double>(cpu) / 1e9, static_cast<double>(bytes) / tasks, operation_bytes,
            static_cast<unsigned long long>(at(0.5)), static_cast<unsigned long long>(at(0.99)),
            static_cast<unsigned long long>(at(1)));
    }

    std::atomic<unsigned> arrived{0}, ended{0};
    unsigned each = 1;
    std::vector<std::uint64_t> waits;
    std::uint64_t bytes = 0, cpu = 0, wall = 0;
};

/* A coroutine that nobody waits for. */
struct detached {
    struct promise_type {
        detached get_return_object() noexcept
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void() noexcept {}
        void unhandled_exception() noexcept
        {
            std::terminate();
        }
    };
};

/* What each task does; `Library` has lock(i), yield(), which are awaited, and unlock(i). */
template <class Task, class Library> Task body(Library &library, run &r, unsigned task)
{
    chooser choose(r.seed, task);

    co_await library.yield(); /* onto its threads */
    r.arrive();
    for (unsigned pass = 0; pass < r.passes; pass++) {
        const unsigned i = pass == 0 ? task % r.locks : choose.next(r.locks);
        std::uint64_t *const wait = r.wait_of(task, pass);
        const std::uint64_t asked = wait != nullptr ? now_ns() : 0;

        co_await library.lock(i);
        if (wait != nullptr)
            *wait = now_ns() - asked;
        r.counts[i].value++;
        co_await library.yield();
        library.unlock(i);
    }
    r.end();
}

/* Takes all locks, starts all tasks by start(task), and lets them go. */
template <class Library, class Start>
int conduct(Library &library, run &r, Start start, unsigned operation_bytes = 0)
{
    for (unsigned i = 0; i < r.locks; i++)
        library.hold(i);
    const std::uint64_t before = resident_bytes();
    for (unsigned task = 0; task < r.tasks; task++)
        start(task);
    r.begin(before);
    for (unsigned i = 0; i < r.locks; i++)
        library.let_go(i);
    return r.finish(operation_bytes);
}

} // namespace manytasks

#endif
