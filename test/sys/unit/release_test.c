/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "in_child.h"
#include "sys/release.h"
#include "test/support/now.h"

/* The release without an atomic instruction, on the real kernel: contract in sys/release.h. */

typedef uint32_t __attribute__((may_alias)) half;

#define ID 0x12345601u
#define UPPER(n) ((uint64_t)(n) << 32)
#define STORM_NS UINT64_C(700000000)
#define PATIENCE_NS UINT64_C(30000000000) /* on a busy machine a thread may start late */

static half *lower_of(uint64_t *state)
{
    return (half *)state;
}

static half *upper_of(uint64_t *state)
{
    return (half *)state + 1;
}

/* A preemption may abort any single try, but not a hundred in a row. */
static bool plain_works(void)
{
    for (int i = 0; i < 100; i++) {
        uint64_t state = ID;

        if (fw_release_plain_(&state, ID))
            return true;
    }
    return false;
}

TEST(a_quiet_word_is_released)
{
    int released = 0;

    for (int i = 0; i < 1000; i++) {
        uint64_t words[3] = {UINT64_MAX, ID, UINT64_MAX};

        if (fw_release_plain_(&words[1], ID)) {
            assert_int_equal(words[1], 0);
            released++;
        } else {
            assert_int_equal(words[1], ID);
        }
        assert_true(words[0] == UINT64_MAX && words[2] == UINT64_MAX);
    }
    assert_true(released > 900);
}

TEST(any_other_word_is_left_alone)
{
    static const uint64_t others[] = {
        0,
        1,
        ID + 0x100,
        ID ^ 0x80000000u,
        UPPER(1) | ID,
        UPPER(1),
        UPPER(1) | 1,
        UPPER(ID) | ID,
        UPPER(0x80000000u) | ID,
        UPPER(ID),
    };

    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        uint64_t word = others[i];

        assert_false(fw_release_plain_(&word, ID));
        assert_true(word == others[i]);
    }
}

static void nothing(int signal)
{
    (void)signal;
}

/* Signals hit the sequence between any two instructions: it stored or it did not. */
TEST(a_signal_storm_leaves_no_half_release)
{
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART}, before;
    struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    uint64_t end = now_ns() + STORM_NS / 2, stored = 0, refused = 0;

    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &every, NULL);
    do {
        for (int i = 0; i < 1000; i++) {
            uint64_t word = ID;
            bool released = fw_release_plain_(&word, ID);

            assert_true(word == (released ? 0 : ID));
            stored += released;
            refused += !released;
        }
    } while (now_ns() < end);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_true(stored > refused);
    print_message("    %llu released, %llu aborted\n", (unsigned long long)stored,
                  (unsigned long long)refused);
}

/* The protocol of a waiter against a releaser who never uses an atomic instruction. */
static struct {
    uint64_t state __attribute__((aligned(64)));
    bool stop __attribute__((aligned(64)));
    uint64_t plain, refused;
} duel;

/* Keeps the caller on the nth of its CPUs, so that the two do meet. */
static void stay_on_processor(int nth)
{
    cpu_set_t all, one;

    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && nth-- == 0)
            CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void *release_for_ever(void *unused)
{
    stay_on_processor(1);
    while (!__atomic_load_n(&duel.stop, __ATOMIC_RELAXED)) {
        __atomic_store_n(lower_of(&duel.state), ID, __ATOMIC_RELAXED);
        while (!fw_release_plain_(&duel.state, ID)) {
            duel.refused++;
            while (__atomic_load_n(upper_of(&duel.state), __ATOMIC_ACQUIRE) != 0)
                sched_yield();
        }
        __atomic_store_n(&duel.plain, duel.plain + 1, __ATOMIC_RELAXED);
    }
    return unused;
}

/* Makes the upper half non-zero, fences, looks: what is held now must stay held. */
static unsigned wait_once(unsigned round)
{
    unsigned kept = 0;
    uint32_t seen;

    __atomic_store_n(upper_of(&duel.state), round | 1, __ATOMIC_RELAXED);
    assert_int_equal(fw_release_fence_(), 0);
    seen = __atomic_load_n(lower_of(&duel.state), __ATOMIC_ACQUIRE);
    if (seen == ID) {
        for (int i = 0; i < 300; i++)
            assert_int_equal(__atomic_load_n(lower_of(&duel.state), __ATOMIC_RELAXED), ID);
        kept = 1;
    }
    __atomic_store_n(upper_of(&duel.state), 0, __ATOMIC_RELEASE);
    return kept;
}

TEST(nothing_is_released_past_a_fence)
{
    uint64_t end = now_ns() + STORM_NS, patience = end + PATIENCE_NS;
    unsigned rounds = 0, kept = 0;
    pthread_t releaser;
    cpu_set_t before;

    sched_getaffinity(0, sizeof before, &before);
    assert_int_equal(pthread_create(&releaser, NULL, release_for_ever, NULL), 0);
    stay_on_processor(0);
    while (now_ns() < end ||
           (__atomic_load_n(&duel.plain, __ATOMIC_RELAXED) < 100 && now_ns() < patience)) {
        kept += wait_once(rounds++);
        for (volatile unsigned i = 0; i < rounds % 64; i++)
            ;
    }
    __atomic_store_n(&duel.stop, true, __ATOMIC_RELAXED);
    pthread_join(releaser, NULL);
    sched_setaffinity(0, sizeof before, &before);
    assert_true(duel.plain > 0);
    print_message("    %u fences, %u met a held word; %llu released, %llu refused\n", rounds, kept,
                  (unsigned long long)duel.plain, (unsigned long long)duel.refused);
}

TEST(a_child_has_a_fence_too)
{
    assert_in_child(fw_release_fence_() == 0 && plain_works());
}

int main(void)
{
    uint64_t state = ID;

    if (!plain_works()) {
        /* Still the contract holds: nothing is ever released plainly, and the fence says yes. */
        if (fw_release_plain_(&state, ID) || state != ID || fw_release_fence_() != 0)
            return 1;
        print_message("skipped: no restartable sequences here\n");
        return 77;
    }
    return unit_run(NULL, NULL);
}
