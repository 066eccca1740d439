/* SPDX-License-Identifier: MIT */
/* The read-write lock.  The outcome of a run: how many were told that a writer has died. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/rwlock.h>

#include "region.h"

static fw_ipc_rwlock *l;

enum { SHORT_MS = 5 };

static void prepare(void)
{
    l = object_new(sizeof *l);
}

static void reset(void)
{
    CHECK(fw_ipc_rwlock_init(l) == 0);
}

static void look(void)
{
    uint64_t a = __atomic_load_n(&shared->a, __ATOMIC_RELAXED);
    uint64_t b = __atomic_load_n(&shared->b, __ATOMIC_RELAXED);

    if (a != b)
        fail("half changed: %llu %llu", (unsigned long long)a, (unsigned long long)b);
}

/* By a writer.  `error` is what it was answered. */
static void write_inside(int error)
{
    uint64_t generation = fw_ipc_rwlock_generation(l);

    if (error != 0 && error != EOWNERDEAD)
        fail("to write: %s", strerror(error));
    CHECK(fw_ipc_rwlock_held_by_me(l) == FW_IPC_RWLOCK_WRITE);
    if (generation <= shared->last)
        fail("the generation is %llu after %llu", (unsigned long long)generation,
             (unsigned long long)shared->last);
    shared->last = generation;
    if (error == EOWNERDEAD) {
        fw_ipc_death death;
        add_outcome(1);
        CHECK(fw_ipc_rwlock_death(l, &death) == 0);
        expect_dead(death.process);
        fw_step_();
        shared->a = shared->b;
        fw_step_();
        CHECK(fw_ipc_rwlock_consistent(l) == 0);
    }
    look();
    fw_step_();
    shared->a++;
    fw_step_();
    shared->b++;
    fw_step_();
}

static void read_inside(void)
{
    CHECK(fw_ipc_rwlock_held_by_me(l) == FW_IPC_RWLOCK_READ);
    fw_step_();
    look();
}

static void write_all(void)
{
    write_inside(fw_ipc_rwlock_wrlock(l));
    CHECK(fw_ipc_rwlock_wrunlock(l) == 0);
}

static void trywrite_all(void)
{
    int error;

    while ((error = fw_ipc_rwlock_trywrlock(l)) == EBUSY)
        usleep(50);
    write_inside(error);
    CHECK(fw_ipc_rwlock_unlock(l) == 0);
}

/* Where it was told that nobody has repaired, it does. */
static void read_all(void)
{
    int error = fw_ipc_rwlock_rdlock(l);

    if (error == EOWNERDEAD) {
        write_inside(fw_ipc_rwlock_wrlock(l));
        CHECK(fw_ipc_rwlock_downgrade(l) == 0);
    } else if (error != 0) {
        fail("to read: %s", strerror(error));
    }
    read_inside();
    CHECK(fw_ipc_rwlock_rdunlock(l) == 0);
}

static void read_twice(void)
{
    int error = fw_ipc_rwlock_rdlock(l);

    CHECK(error == 0);
    CHECK(fw_ipc_rwlock_rdlock(l) == 0);
    read_inside();
    CHECK(fw_ipc_rwlock_rdunlock(l) == 0);
    read_inside();
    CHECK(fw_ipc_rwlock_rdunlock(l) == 0);
}

static void read_upgradable(void)
{
    int error = fw_ipc_rwlock_upgradable_lock(l);

    if (error != 0)
        fail("to read upgradable: %s", strerror(error));
    fw_step_();
    look();
}

static void upgrade_all(void)
{
    read_upgradable();
    write_inside(fw_ipc_rwlock_upgrade(l));
    CHECK(fw_ipc_rwlock_downgrade_upgradable(l) == 0);
    fw_step_();
    look();
    CHECK(fw_ipc_rwlock_upgradable_unlock(l) == 0);
}

static void upread_all(void)
{
    read_upgradable();
    CHECK(fw_ipc_rwlock_downgrade(l) == 0);
    read_inside();
    CHECK(fw_ipc_rwlock_unlock(l) == 0);
}

static void write_and_downgrade(void)
{
    write_inside(fw_ipc_rwlock_wrlock(l));
    CHECK(fw_ipc_rwlock_downgrade(l) == 0);
    read_inside();
    CHECK(fw_ipc_rwlock_rdunlock(l) == 0);
}

/* Everybody comes, in every mode. */
static void survive(void)
{
    write_all();
    read_all();
    read_upgradable();
    CHECK(fw_ipc_rwlock_upgradable_unlock(l) == 0);
    trywrite_all();
}

/* --- Others, beside the victim --------------------------------------------------------------- */

static void wrlock(void)
{
    write_inside(fw_ipc_rwlock_wrlock(l));
}

static void wrunlock(void)
{
    CHECK(fw_ipc_rwlock_wrunlock(l) == 0);
}

static void rdlock(void)
{
    CHECK(fw_ipc_rwlock_rdlock(l) == 0);
}

static void rdunlock(void)
{
    CHECK(fw_ipc_rwlock_rdunlock(l) == 0);
}

static void uplock(void)
{
    CHECK(fw_ipc_rwlock_upgradable_lock(l) == 0);
}

static void upunlock(void)
{
    CHECK(fw_ipc_rwlock_upgradable_unlock(l) == 0);
}

ROLE(wait_and_write, await_admission, write_all)
ROLE(wait_and_read, await_admission, read_all)
ROLE(write_and_admit, wrlock, admit_peer)
ROLE(read_and_admit, rdlock, admit_peer)
ROLE(upgradable_and_admit, uplock, admit_peer)

ROLE(look_and_rdunlock, read_inside, rdunlock)
ROLE(look_and_upunlock, look, upunlock)
ROLE_3(write_until_victim_idle, wrlock, stay_until_victim_idle, wrunlock)
ROLE_3(read_until_victim_idle, rdlock, stay_until_victim_idle, look_and_rdunlock)
ROLE_3(read_until_victim_done, rdlock, stay_until_victim_done, look_and_rdunlock)
ROLE_3(upgradable_until_victim_idle, uplock, stay_until_victim_idle, look_and_upunlock)

static void downgrade(void)
{
    CHECK(fw_ipc_rwlock_downgrade(l) == 0);
    read_inside();
    rdunlock();
}

static void write_too_late(void)
{
    fw_deadline deadline = in_ms(SHORT_MS);
    int error = fw_ipc_rwlock_timedwrlock(l, &deadline);

    if (error == ETIMEDOUT)
        return;
    write_inside(error); /* it was stopped meanwhile */
    wrunlock();
}

static void upgrade_too_late(void)
{
    fw_deadline deadline;
    int error;

    CHECK(fw_ipc_rwlock_upgradable_lock(l) == 0);
    deadline = in_ms(SHORT_MS);
    error = fw_ipc_rwlock_timedupgrade(l, &deadline);
    if (error == ETIMEDOUT) {
        upunlock();
        return;
    }
    write_inside(error);
    wrunlock();
}

/* --- A writer has died ----------------------------------------------------------------------- */

static void die_writing(void)
{
    write_inside(fw_ipc_rwlock_wrlock(l));
    shared->a++;
}

static void die_reading(void)
{
    CHECK(fw_ipc_rwlock_rdlock(l) == 0 && fw_ipc_rwlock_rdlock(l) == 0);
}

static void reset_writer_dead(void)
{
    reset();
    run_and_die(die_writing);
}

static void reset_reader_dead(void)
{
    reset();
    run_and_die(die_reading);
    run_and_die(die_reading);
}

static void give_up(void)
{
    int error = fw_ipc_rwlock_wrlock(l);

    CHECK(error == EOWNERDEAD || error == ENOTRECOVERABLE);
    if (error == EOWNERDEAD)
        wrunlock();
}

static void survive_giving_up(void)
{
    give_up();
    CHECK(fw_ipc_rwlock_wrlock(l) == ENOTRECOVERABLE);
    CHECK(fw_ipc_rwlock_rdlock(l) == ENOTRECOVERABLE);
    CHECK(fw_ipc_rwlock_upgradable_trylock(l) == ENOTRECOVERABLE);
}

static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    expect_dead(death->process);
    fw_step_();
    shared->a = shared->b;
    fw_step_();
    return 0;
}

static void read_with_repair(void)
{
    CHECK(fw_ipc_rwlock_on_death(l, repair, NULL) == 0);
    CHECK(fw_ipc_rwlock_rdlock(l) == 0);
    read_inside();
    rdunlock();
    CHECK(fw_ipc_rwlock_on_death(l, NULL, NULL) == 0);
}

/* A writer's death between getting the lock and giving it back is told: two changes. */
static const struct kill_case cases[] = {
    {"read, first call", reset, NULL, NULL, read_all, NULL, survive, 0},
    {"read", reset, NULL, become_participant, read_all, write_all, survive, 0},
    {"read twice", reset, NULL, become_participant, read_twice, write_all, survive, 0},
    {"write", reset, NULL, become_participant, write_all, write_all, survive, 2},
    {"write, then readers", reset, NULL, become_participant, write_all, read_all, survive, 2},
    {"try to write", reset, NULL, become_participant, trywrite_all, write_all, survive, 2},
    {"upgrade", reset, NULL, become_participant, upgrade_all, write_all, survive, 2},
    {"upgradable, downgrade", reset, NULL, become_participant, upread_all, write_all, survive, 0},
    {"write, downgrade", reset, NULL, become_participant, write_and_downgrade, read_all, survive,
     2},
    {"write, another writes", reset, write_until_victim_idle, become_participant, write_all, NULL,
     survive, ANY_CHANGES},
    {"write, another reads", reset, read_until_victim_idle, become_participant, write_all, NULL,
     survive, ANY_CHANGES},
    {"write, another upgradable", reset, upgradable_until_victim_idle, become_participant,
     write_all, NULL, survive, ANY_CHANGES},
    {"write, too late", reset, read_until_victim_done, become_participant, write_too_late, NULL,
     survive, ANY_CHANGES},
    {"read, another writes", reset, write_until_victim_idle, become_participant, read_all, NULL,
     survive, ANY_CHANGES},
    {"upgradable, another writes", reset, write_until_victim_idle, become_participant, upread_all,
     NULL, survive, ANY_CHANGES},
    {"upgrade, another reads", reset, read_until_victim_idle, become_participant, upgrade_all, NULL,
     survive, ANY_CHANGES},
    {"upgrade, too late", reset, read_until_victim_done, become_participant, upgrade_too_late, NULL,
     survive, ANY_CHANGES},
    {"write unlock, a writer sleeps", reset, wait_and_write, write_and_admit, wrunlock, NULL,
     survive, 1},
    {"write unlock, a reader sleeps", reset, wait_and_read, write_and_admit, wrunlock, NULL,
     survive, 1},
    {"downgrade, a reader sleeps", reset, wait_and_read, write_and_admit, downgrade, NULL, survive,
     1},
    {"read unlock, a writer sleeps", reset, wait_and_write, read_and_admit, rdunlock, NULL, survive,
     0},
    {"upgradable unlock, a writer sleeps", reset, wait_and_write, upgradable_and_admit, upunlock,
     NULL, survive, 0},
    {"write, a writer dead", reset_writer_dead, NULL, become_participant, write_all, write_all,
     survive, 2},
    {"read, a writer dead", reset_writer_dead, NULL, become_participant, read_all, read_all,
     survive, 2},
    {"read, repaired by function", reset_writer_dead, NULL, become_participant, read_with_repair,
     read_with_repair, read_with_repair, 0},
    {"write, readers dead", reset_reader_dead, NULL, become_participant, write_all, write_all,
     survive, 2},
    {"give up", reset_writer_dead, NULL, become_participant, give_up, give_up, survive_giving_up,
     0},
    {.name = NULL}};

const struct kill_table rwlock_table = {.name = "rwlock", .cases = cases, .prepare = prepare};
