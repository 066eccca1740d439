/* SPDX-License-Identifier: MIT */
/* Permits with holders.  The outcome of a run: the permits recovered from dead holders. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/permits.h>

#include "region.h"

enum { N = 2, SHORT_MS = 5 };

static fw_ipc_permits *u;

static void prepare(void)
{
    u = object_new(fw_ipc_permits_size(N));
}

static void unmake(void)
{
    memset(u, 0, fw_ipc_permits_size(N));
}

static void make(void)
{
    CHECK(fw_ipc_permits_init(u, N) == 0);
}

static void reset(void)
{
    unmake();
    make();
}

/* Between these, the permit is the caller's alone: words[i]. */
static void use(uint32_t i)
{
    uint64_t before;

    CHECK(i < N && fw_ipc_permits_held_by_me(u) != 0);
    before = shared->words[i];
    fw_step_();
    shared->words[i] = before + 1;
    fw_step_();
    CHECK(shared->words[i] == before + 1);
}

static uint32_t take(const fw_deadline *deadline)
{
    uint32_t i = N;
    int error = fw_ipc_permits_take(u, &i, NULL, deadline);

    if (error == ETIMEDOUT)
        return N;
    if (error != 0 && error != EOWNERDEAD)
        fail("take: %s", strerror(error));
    add_outcome(error == EOWNERDEAD);
    use(i);
    return i;
}

static void give(uint32_t i)
{
    CHECK(fw_ipc_permits_give(u, i) == 0);
}

static void take_and_give(void)
{
    give(take(NULL));
}

static void wait_and_post(void)
{
    CHECK(fw_ipc_permits_wait(u) == 0);
    fw_step_();
    CHECK(fw_ipc_permits_post(u) == 0);
}

static void take_both(void)
{
    uint32_t one = take(NULL), two = take(NULL);

    CHECK(one != two);
    give(one);
    give(two);
}

static void take_too_late(void)
{
    fw_deadline deadline = in_ms(SHORT_MS);
    uint32_t i = take(&deadline);

    if (i != N)
        give(i);
}

/* Alone, all are there: none has been lost, none is there twice. */
static void survive(void)
{
    CHECK(!shared->is_alone || fw_ipc_permits_value(u) == N); /* those of the dead, too */
    take_and_give();
    if (!shared->is_alone)
        return;
    take_both();
    CHECK(fw_ipc_permits_value(u) == N && fw_ipc_permits_held_by_me(u) == 0);
    CHECK(fw_ipc_permits_trywait(u) == 0 && fw_ipc_permits_trywait(u) == 0);
    CHECK(fw_ipc_permits_trywait(u) == EBUSY);
    CHECK(fw_ipc_permits_post(u) == 0 && fw_ipc_permits_post(u) == 0);
    CHECK(fw_ipc_permits_post(u) == EPERM);
}

static void survive_making(void)
{
    make();
    survive();
}

static void hold_all(void)
{
    take(NULL);
    take(NULL);
}

static void give_all(void)
{
    CHECK(fw_ipc_permits_post(u) == 0);
    CHECK(fw_ipc_permits_post(u) == 0);
}

static void reset_dead(void)
{
    reset();
    run_and_die(hold_all);
    shared->outcome = 0;
}

/* --- Others, beside the victim --------------------------------------------------------------- */

ROLE_3(hold_until_victim_idle, hold_all, stay_until_victim_idle, give_all)
ROLE_3(hold_until_victim_done, hold_all, stay_until_victim_done, give_all)
ROLE(wait_and_take, await_admission, take_and_give)
ROLE(hold_and_admit, hold_all, admit_peer)

/* Told of the death of a victim that had it, from taking to giving: two changes. */
static const struct kill_case cases[] = {
    {"init", unmake, NULL, become_participant, make, make, survive_making, 0},
    {"init, first call", unmake, NULL, NULL, make, NULL, survive_making, 0},
    {"take, first call", reset, NULL, NULL, take_and_give, NULL, survive, 2},
    {"take", reset, NULL, become_participant, take_and_give, take_both, survive, 2},
    {"wait", reset, NULL, become_participant, wait_and_post, wait_and_post, survive, 2},
    {"take both", reset, NULL, become_participant, take_both, take_and_give, survive, 4},
    {"take, the holder dead", reset_dead, NULL, become_participant, take_and_give, take_and_give,
     survive, ANY_CHANGES},
    {"take, all lent", reset, hold_until_victim_idle, become_participant, take_and_give, NULL,
     survive, ANY_CHANGES},
    {"take, too late", reset, hold_until_victim_done, become_participant, take_too_late, NULL,
     survive, ANY_CHANGES},
    {"give, another sleeps", reset, wait_and_take, hold_and_admit, give_all, NULL, survive, 2},
    {.name = NULL}};

const struct kill_table permits_table = {.name = "permits", .cases = cases, .prepare = prepare};
