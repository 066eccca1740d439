/* SPDX-License-Identifier: MIT */
/*
 * The barrier, of two parties.  The outcome of a run: how many were told of a death, where the
 * barrier fails by it; where it goes on, how many rounds have ended.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/barrier.h>

#include "region.h"

enum { PARTIES = 2, SHORT_MS = 5, LOOK_US = 50 };

static fw_ipc_barrier *b;

static void prepare(void)
{
    b = object_new(fw_ipc_barrier_size(PARTIES));
}

static void unmake(void)
{
    memset(b, 0, fw_ipc_barrier_size(PARTIES));
}

static void make_strict(void)
{
    CHECK(fw_ipc_barrier_init(b, PARTIES, FW_IPC_BARRIER_FAIL) == 0);
}

static void make_patient(void)
{
    CHECK(fw_ipc_barrier_init(b, PARTIES, FW_IPC_BARRIER_GO_ON) == 0);
}

static void reset_strict(void)
{
    unmake();
    make_strict();
}

static void reset_patient(void)
{
    unmake();
    make_patient();
}

static void join(void)
{
    CHECK(fw_ipc_barrier_join(b) == 0);
}

static void join_and_leave(void)
{
    join();
    CHECK(fw_ipc_barrier_leave(b) == 0);
}

static void leave(void)
{
    CHECK(fw_ipc_barrier_leave(b) == 0);
}

/* A round: 0; or EOWNERDEAD, where it fails. */
static int wait(void)
{
    int error = fw_ipc_barrier_wait(b);

    if (error == FW_IPC_BARRIER_SERIAL)
        error = 0;
    if (error != 0 && error != EOWNERDEAD && error != EBUSY)
        fail("wait: %s", strerror(error));
    return error;
}

static void go_round(void)
{
    int error;

    while ((error = wait()) == EBUSY) /* the dead have their slots yet */
        usleep(LOOK_US);
    add_outcome(error == EOWNERDEAD);
}

static void arrive_and_await(void)
{
    uint64_t token;
    int error = fw_ipc_barrier_arrive(b, &token);

    if (error == 0) {
        fw_step_();
        error = fw_ipc_barrier_await(b, token);
    }
    if (error != 0 && error != EOWNERDEAD && error != FW_IPC_BARRIER_SERIAL)
        fail("arrive, await: %s", strerror(error));
    add_outcome(error == EOWNERDEAD);
}

static void go_round_too_late(void)
{
    fw_deadline deadline = in_ms(SHORT_MS);
    int error = fw_ipc_barrier_timedwait(b, &deadline);

    if (error != 0 && error != ETIMEDOUT && error != FW_IPC_BARRIER_SERIAL && error != EOWNERDEAD)
        fail("timedwait: %s", strerror(error));
}

static void renew(void)
{
    CHECK(fw_ipc_barrier_reset(b) == 0);
}

/* A slot for each, and rounds that end, also when one party dies in each. */
static void survive_patient(void)
{
    int error;

    if (!shared->is_alone)
        return;
    for (unsigned i = 0; i < 2; i++) {
        run_and_die(join);
        while ((error = wait()) == EBUSY)
            usleep(LOOK_US);
        CHECK(error == 0);
    }
    leave();
}

/* It is told of the dead until somebody resets it; then it is as new. */
static void survive_strict(void)
{
    fw_deadline deadline = in_ms(SHORT_MS);
    int error;

    if (!shared->is_alone)
        return;
    error = fw_ipc_barrier_timedwait(b, &deadline);
    if (error != EOWNERDEAD && error != ETIMEDOUT && error != EBUSY &&
        error != FW_IPC_BARRIER_SERIAL) /* whoever left is not waited for */
        fail("the survivor: %s", strerror(error));
    if (error == ETIMEDOUT || error == FW_IPC_BARRIER_SERIAL)
        leave();
    renew();
    run_and_die(join);
    CHECK(fw_ipc_barrier_wait(b) == EOWNERDEAD);
    CHECK(fw_ipc_barrier_wait(b) == EOWNERDEAD);
    renew();
    join_and_leave();
}

static void survive_making_strict(void)
{
    make_strict();
    survive_strict();
}

static void survive_making_patient(void)
{
    make_patient();
    survive_patient();
}

/* --- Others, beside the victim --------------------------------------------------------------- */

static void join_and_go_round(void)
{
    join();
    peer_is_ready();
    await_victim_begun();
    go_round();
}

static void wait_and_go_round(void)
{
    join();
    await_admission();
    go_round();
}

static void join_and_admit(void)
{
    join();
    admit_peer();
}

/* Where one has died: resets until a round ends well. */
static void meet(void)
{
    int error;

    while ((error = wait()) != 0)
        if (error == EOWNERDEAD)
            renew();
        else
            usleep(LOOK_US);
}

/* A participant while the victim works: a party that comes later prefers the victim's slot. */
static void stand_between(void)
{
    await_admission();
    become_participant();
    while (!__atomic_load_n(&shared->is_through, __ATOMIC_ACQUIRE))
        usleep(LOOK_US);
}

static void join_and_lose_one(void)
{
    join();
    admit_peer();
    run_and_die(join);
}

static void join_and_go_round_beside(void)
{
    join();
    go_round();
}

static void reset_failed(void)
{
    reset_strict();
    run_and_die(join);
    run_and_die(join);
    CHECK(fw_ipc_barrier_wait(b) == EOWNERDEAD);
}

static const struct kill_case cases[] = {
    {"init, fails", unmake, NULL, become_participant, make_strict, make_strict,
     survive_making_strict, 0},
    {"init, goes on", unmake, NULL, NULL, make_patient, make_patient, survive_making_patient, 0},
    {"join and leave, fails", reset_strict, NULL, become_participant, join_and_leave,
     join_and_leave, survive_strict, 0},
    {"join and leave, first call", reset_patient, NULL, NULL, join_and_leave, NULL, survive_patient,
     0},
    {"join and leave, goes on", reset_patient, NULL, become_participant, join_and_leave,
     join_and_leave, survive_patient, 0},
    {"wait, fails, another waits", reset_strict, wait_and_go_round, join_and_admit, go_round, NULL,
     survive_strict, 1},
    {"wait, fails, another comes", reset_strict, join_and_go_round, join, go_round, NULL,
     survive_strict, ANY_CHANGES},
    {"wait, goes on, another waits", reset_patient, wait_and_go_round, join_and_admit, go_round,
     NULL, survive_patient, 0},
    {"wait, goes on, another comes", reset_patient, join_and_go_round, join, go_round, NULL,
     survive_patient, 0},
    {"arrive, await, fails", reset_strict, wait_and_go_round, join_and_admit, arrive_and_await,
     NULL, survive_strict, 1},
    {"wait, too late", reset_patient, NULL, join, go_round_too_late, NULL, survive_patient, 0},
    {"wait, another resets", reset_strict, stand_between, join_and_lose_one, meet, meet,
     survive_strict, CHANGES_BESIDE},
    {"wait, another comes beside", reset_patient, NULL, join, go_round, join_and_go_round_beside,
     survive_patient, CHANGES_BESIDE},
    {"reset", reset_failed, NULL, become_participant, renew, renew, survive_strict, 0},
    {.name = NULL}};

const struct kill_table barrier_table = {.name = "barrier", .cases = cases, .prepare = prepare};
