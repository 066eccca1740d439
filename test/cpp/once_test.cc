// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>

#include <pthread.h>
#include <unistd.h>

#include <furwock.hpp>

/* fw::call_once, and fw_once_call under exceptions. */
namespace {

void runs_once()
{
    fw::once_flag flag;
    std::atomic<int> runs = 0;
    int made = 0;

    in_threads(4, [&](int) {
        for (int i = 0; i < 100; i++) {
            fw::call_once(flag, [&] {
                doze();
                runs++;
                made = 42;
            });
            CHECK(made == 42);
        }
    });
    CHECK(runs == 1);
}

struct maker {
    int sum = 0;
    void add(int a, const int &b, std::unique_ptr<int> c)
    {
        sum += a + b + *c;
    }
};

void arguments()
{
    fw::once_flag flag, other;
    maker m;
    const int two = 2;

    fw::call_once(flag, &maker::add, &m, 1, two, std::make_unique<int>(3));
    fw::call_once(flag, &maker::add, &m, 1, two, std::make_unique<int>(3));
    CHECK(m.sum == 6);
    fw::call_once(
        other, [](std::unique_ptr<int> p) { CHECK(*p == 5); }, std::make_unique<int>(5));
}

/* All fail but the last: each exception reaches its caller, and nobody else. */
void exceptions()
{
    enum { THREADS = 4 };
    fw::once_flag flag;
    std::atomic<int> tries = 0, failures = 0;

    in_threads(THREADS, [&](int) {
        try {
            fw::call_once(flag, [&] {
                doze();
                if (++tries < THREADS)
                    throw std::runtime_error("not yet");
            });
        } catch (const std::runtime_error &) {
            failures++;
        }
    });
    CHECK(tries == THREADS && failures == THREADS - 1);
    fw::call_once(flag, [] { CHECK(false); });
}

int throws(void *)
{
    throw 7;
}

int succeeds(void *runs)
{
    ++*static_cast<int *>(runs);
    return 0;
}

/* An exception that leaves the C function leaves the once to the next. */
void exception_through_c()
{
    fw_once once = FW_ONCE_INIT;
    int runs = 0, caught = 0;

    try {
        fw_once_call(&once, throws, nullptr);
    } catch (int thrown) {
        caught = thrown;
    }
    CHECK(caught == 7);
    CHECK(fw_once_call(&once, succeeds, &runs) == 0 && runs == 1);
    CHECK(fw_once_call(&once, throws, nullptr) == 0);
}

void cancellation()
{
    static fw::once_flag flag;
    static fw::event runs;
    bool done = false;
    pthread_t thread;

    CHECK(pthread_create(
              &thread, nullptr,
              [](void *) -> void * {
                  fw::call_once(flag, [] {
                      runs.set();
                      for (;;)
                          pause();
                  });
                  return nullptr;
              },
              nullptr) == 0);
    runs.wait();
    pthread_cancel(thread);
    fw::call_once(flag, [&] { done = true; });
    CHECK(done);
    pthread_join(thread, nullptr);
}

} // namespace

int main()
{
    runs_once();
    arguments();
    exceptions();
    exception_through_c();
    cancellation();
    return 0;
}
