// SPDX-License-Identifier: MIT
//
// The orders of planted.c, with absl::Mutex, for tools/checkers: of all kinds of faults, Abseil's
// detector looks for this one.  Prints where the locks are and how far the variants' are
// apart, since what it reports has their addresses only.
//
//     planted_absl order bad|good
#include <cstdio>
#include <cstring>
#include <thread>

#include <absl/synchronization/mutex.h>

enum { VARIANTS = 20, LOCKS = 5, LOCK_KINDS = 5 };

static absl::Mutex locks[VARIANTS][LOCKS];

static inline __attribute__((always_inline)) void take_two(absl::Mutex *a, absl::Mutex *b)
{
    a->Lock();
    b->Lock();
    b->Unlock();
    a->Unlock();
}

static inline __attribute__((always_inline)) void good_order(int number, int role, int length)
{
    absl::Mutex *all = locks[number], *a = &all[role % length], *b = &all[(role + 1) % length];

    switch (number % 4) {
    case 0:
        take_two(a < b ? a : b, a < b ? b : a);
        break;
    case 1:
        all[LOCKS - 1].Lock();
        take_two(a, b);
        all[LOCKS - 1].Unlock();
        break;
    case 2:
        a->Lock();
        if (b->TryLock())
            b->Unlock();
        a->Unlock();
        break;
    default:
        for (int i = 0; i < length && role == 0; i++)
            take_two(&all[i], &all[(i + 1) % length]);
    }
}

template <int number> __attribute__((noinline)) static void order(int role, bool is_bad)
{
    int length = 2 + number / LOCK_KINDS % 3;

    if (role >= length)
        return;
    if (is_bad)
        take_two(&locks[number][role], &locks[number][(role + 1) % length]);
    else
        good_order(number, role, length);
}

template <int number> static void run(bool is_bad)
{
    for (int role = 0; role < 4; role++)
        std::thread(order<number>, role, is_bad).join();
    if constexpr (number + 1 < VARIANTS)
        run<number + 1>(is_bad);
}

int main(int argc, char **argv)
{
    printf("%p %zu\n", static_cast<void *>(locks), sizeof locks[0]);
    fflush(stdout); // before standard error
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kReport);
    run<0>(argc == 3 && strcmp(argv[2], "bad") == 0);
    return 0;
}
