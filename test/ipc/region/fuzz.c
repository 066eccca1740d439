/* SPDX-License-Identifier: MIT */
/*
 * Somebody writes random bytes over a region while processes use it: they are answered errors, and
 * none of them crashes, or does not come back.
 *
 *     fuzz [--seconds N] [--seed N]
 *
 * Round by round: a new region, users, and one process that writes into its head, directory, slots
 * and objects, and now and then puts a part back as it was, so that users get in again.  At the end
 * of a round all must come to an end soon.  Calls with a deadline keep it while nothing is put
 * back. Some calls have none (the mutex that a condition variable takes again, a once): where a
 * word says falsely that a living user holds it, they wait for it lawfully, asleep.  So the objects
 * are put back then.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/head.h"
#include "processes.h"
#include "users.h"

enum { USERS = 4, ROUND_MS = 120, END_MS = 20000 };

/* A user waits without a deadline: watched for so long, and at most this part of it running. */
enum { LOOK_MS = 60, RUN_PERCENT_MOST = 70 };

static struct play *play;
static uint64_t random_state;

static uint64_t pick(uint64_t n)
{
    return (draw(&random_state) >> 8) % n;
}

static void use(void *who)
{
    play_on(play, (unsigned)(uintptr_t)who);
}

static void prepare(void *nothing)
{
    (void)nothing;
    play_prepare(play);
}

/* Where to write: each area as often as the others, whatever its size. */
static uint64_t random_offset(const struct fw_ipc_plan_ *plan)
{
    switch (pick(6)) {
    case 0:
        return pick(sizeof(struct fw_ipc_head_));
    case 1:
        return plan->entries_at + pick(16 * sizeof(struct fw_ipc_entry_));
    case 2:
        return plan->members_at + pick((2 * USERS + 2) * FW_IPC_MEMBER_SIZE);
    case 3:
        return plan->entries_at + pick(plan->objects_at - plan->entries_at);
    default:
        return plan->objects_at + pick(2048);
    }
}

static uint64_t value(const char *base, const struct fw_ipc_plan_ *plan, uint64_t before)
{
    uint64_t other;

    switch (pick(7)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return before ^ UINT64_C(1) << pick(64);
    case 3:
        return pick(64) << 32 | pick(32);
    case 4:
        return pick(plan->size) & ~UINT64_C(7);
    case 5: /* what stands elsewhere: a plausible holder, say */
        memcpy(&other, base + (random_offset(plan) & ~UINT64_C(7)), sizeof other);
        return other;
    default:
        return draw(&random_state);
    }
}

static void write_over(char *base, const struct fw_ipc_plan_ *plan)
{
    static const unsigned sizes[] = {1, 4, 8, 8, 8, 64};
    unsigned size = sizes[pick(6)];
    uint64_t at = random_offset(plan) & ~(uint64_t)(size < 8 ? size - 1 : 7);

    for (unsigned done = 0; done < size; done += 8) {
        uint64_t v;
        memcpy(&v, base + (at & ~UINT64_C(7)), sizeof v);
        v = value(base, plan, v);
        memcpy(base + at + done, &v, size < 8 ? size : 8);
    }
}

static void put_back(char *base, const char *was, const struct fw_ipc_plan_ *plan)
{
    uint64_t members = plan->objects_at - plan->members_at;

    memcpy(base, was, plan->members_at);
    memcpy(base + plan->objects_at, was + plan->objects_at, plan->size - plan->objects_at);
    if (pick(4) == 0) /* live users lose their slots */
        memcpy(base + plan->members_at, was + plan->members_at, members);
}

static void vandalise(char *base, const char *was, const struct fw_ipc_plan_ *plan)
{
    uint64_t end = now_ns() + ROUND_MS * UINT64_C(1000000);
    uint64_t pause_us = 1 + pick(400);

    while (now_ns() < end) {
        for (uint64_t n = 1 + pick(8); n != 0; n--)
            write_over(base, plan);
        usleep((useconds_t)pause_us);
        if (pick(16) == 0)
            put_back(base, was, plan);
    }
}

/* Forgets those who have ended, which they must well.  The number of the others. */
static unsigned reap(pid_t users[USERS])
{
    unsigned left = 0;

    for (unsigned i = 0; i < USERS; i++) {
        int status;
        if (users[i] != 0 && waitpid(users[i], &status, WNOHANG) != 0) {
            if (status != 0)
                fail("user %u: status 0x%x, while doing %u; seed %llu", i, (unsigned)status,
                     play->doing[i], (unsigned long long)play->seed);
            users[i] = 0;
        }
        left += users[i] != 0;
    }
    return left;
}

static uint64_t cpu_ns(pid_t process)
{
    struct timespec t = {0};
    clockid_t clock;

    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Is somebody in a call with a deadline?  It has been over for END_MS: it hangs. */
static bool are_in_time(void)
{
    bool has_one = false;

    for (unsigned i = 0; i < USERS; i++) {
        uint64_t until = fw_load64_acquire(&play->until[i]);
        has_one |= until != 0;
        if (until != 0 && now_ns() > until + END_MS * UINT64_C(1000000))
            fail("user %u misses its deadline, doing %u; seed %llu", i, play->doing[i],
                 (unsigned long long)play->seed);
    }
    return has_one;
}

/* Nothing is put back yet: calls with a deadline end, and users in one without sleep. */
static void await_timed(pid_t users[USERS])
{
    uint64_t ran[USERS] = {0};
    uint64_t since = 0, took;

    do {
        if (are_in_time() || since == 0) {
            since = now_ns();
            for (unsigned i = 0; i < USERS; i++)
                ran[i] = users[i] != 0 ? cpu_ns(users[i]) : 0;
        }
        usleep(1000);
        took = now_ns() - since;
    } while (reap(users) != 0 && took < LOOK_MS * UINT64_C(1000000));
    for (unsigned i = 0; i < USERS; i++)
        if (users[i] != 0 && !is_constrained &&
            cpu_ns(users[i]) - ran[i] > took / 100 * RUN_PERCENT_MOST)
            fail("user %u spins forever, doing %u; seed %llu", i, play->doing[i],
                 (unsigned long long)play->seed);
}

/* All must end by themselves; objects are put back again and again, for those who wait lawfully. */
static void await_all(pid_t users[USERS], char *base, const char *was,
                      const struct fw_ipc_plan_ *plan)
{
    uint64_t end = now_ns() + END_MS * UINT64_C(1000000);

    for (unsigned left = USERS; left != 0;) {
        memcpy(base + plan->objects_at, was + plan->objects_at, plan->size - plan->objects_at);
        memcpy(base, was, plan->members_at);
        left = reap(users);
        if (left != 0 && now_ns() > end)
            for (unsigned i = 0; i < USERS; i++)
                if (users[i] != 0)
                    fail("user %u (process %d) hangs, doing %u; seed %llu", i, (int)users[i],
                         play->doing[i], (unsigned long long)play->seed);
        usleep(2000);
    }
}

static void round_of(uint64_t seed)
{
    struct fw_ipc_plan_ plan;
    pid_t users[USERS];
    char *base, *was = malloc(REGION_SIZE);

    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    play->fd = memfd_create("fuzz", MFD_CLOEXEC);
    play->seed = seed;
    fw_store32_release(&play->must_end, 0);
    finish(start(prepare, NULL));
    base = mmap(NULL, REGION_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, play->fd, 0);
    CHECK(base != MAP_FAILED && was != NULL);
    CHECK(fw_ipc_plan_(REGION_SIZE, 0, &plan) == 0);
    memcpy(was, base, REGION_SIZE);
    for (uintptr_t i = 0; i < USERS; i++)
        users[i] = start(use, (void *)i);
    vandalise(base, was, &plan);
    fw_store32_release(&play->must_end, 1);
    await_timed(users);
    await_all(users, base, was, &plan);
    munmap(base, REGION_SIZE);
    close(play->fd);
    free(was);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"seconds", required_argument, NULL, 's'}, {"seed", required_argument, NULL, 'r'}, {0}};
    uint64_t seconds = 3, seed = 1, end, rounds = 0;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        *(option == 's' ? &seconds : &seed) = strtoull(optarg, NULL, 10);
    play = share(sizeof *play);
    end = now_ns() + seconds * UINT64_C(1000000000);
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    do {
        round_of(seed + rounds);
        rounds++;
    } while (now_ns() < end);
    printf("%llu rounds, %llu calls: no crash, no hang\n", (unsigned long long)rounds,
           (unsigned long long)play->calls);
    return EXIT_SUCCESS;
}
