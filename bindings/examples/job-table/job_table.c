/* SPDX-License-Identifier: MIT */
/*
 * The job table in C.
 *
 *     job_table create|work|hold|close|audit REGION [SLOT]
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc.h>

#include "job_table.h"

_Static_assert(JOB_TABLE_JOBS_AT + 2 * JOB_TABLE_JOBS == JOB_TABLE_WORDS, "the jobs come last");

static fw_ipc_mutex *mutex;
static fw_ipc_mutex *slots[JOB_TABLE_SLOTS];
static uint64_t *table;

static void die(const char *what, int error)
{
    fprintf(stderr, "job_table.c: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static void must(int error, const char *what)
{
    if (error != 0)
        die(what, error);
}

static void attach(const char *name, unsigned flags)
{
    fw_region *region;
    void *words;

    must(fw_region_open(name, JOB_TABLE_REGION_SIZE, flags, &region), name);
    must(fw_region_mutex(region, "jobs", flags, &mutex), "jobs");
    must(fw_region_object(region, "jobs.data", FW_REGION_DATA, JOB_TABLE_WORDS * sizeof *table,
                          flags, &words),
         "jobs.data");
    table = words;
    for (unsigned i = 0; i < JOB_TABLE_SLOTS; i++) {
        char slot[16];
        snprintf(slot, sizeof slot, "slot %u", i);
        must(fw_region_mutex(region, slot, flags, &slots[i]), slot);
    }
}

/* --- The words -------------------------------------------------------------------------------- */

static uint64_t *job(unsigned i)
{
    return &table[JOB_TABLE_JOBS_AT + 2 * i];
}

static unsigned state_of(unsigned i)
{
    return *job(i) & 0xff;
}

static unsigned slot_of(unsigned i)
{
    return *job(i) >> JOB_TABLE_SLOT_SHIFT & 0xff;
}

static uint64_t round_of(unsigned i)
{
    return *job(i) >> JOB_TABLE_ROUND_SHIFT;
}

static uint64_t word(uint64_t round, unsigned slot, unsigned state)
{
    return round << JOB_TABLE_ROUND_SHIFT | (uint64_t)slot << JOB_TABLE_SLOT_SHIFT | state;
}

static uint64_t result_of(unsigned i)
{
    return (uint64_t)i * JOB_TABLE_FACTOR + round_of(i);
}

static void count(uint64_t counts[3])
{
    memset(counts, 0, 3 * sizeof *counts);
    for (unsigned i = 0; i < JOB_TABLE_JOBS; i++) {
        if (state_of(i) > JOB_TABLE_DONE)
            die("a job in no state", EBADMSG);
        counts[state_of(i)]++;
    }
}

static void lock(void)
{
    int error = fw_ipc_mutex_lock(mutex);

    if (error == EOWNERDEAD) { /* the repair */
        count(&table[JOB_TABLE_COUNTS]);
        table[JOB_TABLE_DEATHS]++;
        error = fw_ipc_mutex_consistent(mutex);
    }
    must(error, "lock");
}

static void unlock(void)
{
    must(fw_ipc_mutex_unlock(mutex), "unlock");
}

static void set(unsigned i, uint64_t now)
{
    table[JOB_TABLE_COUNTS + state_of(i)]--;
    __atomic_store_n(job(i), now, __ATOMIC_RELEASE); /* in one piece, after the result */
    table[JOB_TABLE_COUNTS + state_of(i)]++;
}

/* JOB_TABLE_JOBS if there is none. */
static unsigned find(unsigned state)
{
    unsigned i = 0;

    while (i < JOB_TABLE_JOBS && state_of(i) != state)
        i++;
    return i;
}

/* --- A worker --------------------------------------------------------------------------------- */

static bool take_slot(unsigned slot)
{
    int error = fw_ipc_mutex_trylock(slots[slot]);

    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(slots[slot]);
    if (error != EBUSY)
        must(error, "slot");
    return error == 0;
}

/* For whoever holds that slot: its last worker is dead. */
static void put_back(unsigned slot)
{
    for (unsigned i = 0; i < JOB_TABLE_JOBS; i++)
        if (state_of(i) == JOB_TABLE_RUNNING && slot_of(i) == slot) {
            set(i, word(round_of(i), 0, JOB_TABLE_READY));
            table[JOB_TABLE_PUT_BACK]++;
        }
}

static void put_back_of_the_dead(unsigned my_slot)
{
    for (unsigned slot = 0; slot < JOB_TABLE_SLOTS; slot++)
        if (slot != my_slot && take_slot(slot)) {
            put_back(slot);
            fw_ipc_mutex_unlock(slots[slot]);
        }
}

static void run(unsigned i, unsigned slot)
{
    uint64_t mine = word(round_of(i), slot, JOB_TABLE_RUNNING);

    set(i, mine);
    unlock();
    usleep(JOB_TABLE_WORK_US);
    lock();
    if (*job(i) != mine)
        die("a job was taken from a living worker", EBADMSG);
    job(i)[1] = result_of(i);
    set(i, word(round_of(i), slot, JOB_TABLE_DONE));
    table[JOB_TABLE_STEPS + slot]++;
}

static void check_result(unsigned i)
{
    if (job(i)[1] != result_of(i))
        die("a wrong result", EBADMSG);
}

static void next_round(unsigned i)
{
    check_result(i);
    set(i, word(round_of(i) + 1, 0, JOB_TABLE_READY));
}

static void work(unsigned slot)
{
    bool is_idle = false;

    lock();
    if (!take_slot(slot))
        die("the slot is taken", EBUSY);
    put_back(slot);
    while (table[JOB_TABLE_CLOSED] == 0 ||
           table[JOB_TABLE_COUNTS + JOB_TABLE_DONE] != JOB_TABLE_JOBS) {
        if (find(JOB_TABLE_READY) != JOB_TABLE_JOBS)
            run(find(JOB_TABLE_READY), slot);
        else if (table[JOB_TABLE_CLOSED] == 0 && find(JOB_TABLE_DONE) != JOB_TABLE_JOBS)
            next_round(find(JOB_TABLE_DONE));
        else {
            put_back_of_the_dead(slot);
            is_idle = find(JOB_TABLE_READY) == JOB_TABLE_JOBS;
        }
        unlock();
        if (is_idle)
            usleep(JOB_TABLE_WORK_US);
        is_idle = false;
        lock();
    }
    unlock();
}

/* Leaves a wrong count behind: for whoever kills this process. */
static void hold(void)
{
    lock();
    table[JOB_TABLE_COUNTS + JOB_TABLE_DONE] += 1000;
    printf("held\n");
    fflush(stdout);
    pause();
}

/* --- The others ------------------------------------------------------------------------------- */

/* Every job is in one state, each count is right, and each result. */
static void audit(void)
{
    uint64_t counts[3], rounds = 0;

    lock();
    count(counts);
    if (memcmp(counts, &table[JOB_TABLE_COUNTS], sizeof counts) != 0)
        die("the counts are wrong", EBADMSG);
    for (unsigned i = 0; i < JOB_TABLE_JOBS; i++) {
        rounds += round_of(i);
        if (state_of(i) == JOB_TABLE_DONE)
            check_result(i);
    }
    printf("rounds %lu deaths %lu put_back %lu ready %lu running %lu done %lu steps",
           (unsigned long)rounds, (unsigned long)table[JOB_TABLE_DEATHS],
           (unsigned long)table[JOB_TABLE_PUT_BACK], (unsigned long)counts[0],
           (unsigned long)counts[1], (unsigned long)counts[2]);
    for (unsigned slot = 0; slot < JOB_TABLE_SLOTS; slot++)
        printf(" %lu", (unsigned long)table[JOB_TABLE_STEPS + slot]);
    printf("\n");
    unlock();
}

int main(int argc, char **argv)
{
    bool is_new = argc >= 3 && strcmp(argv[1], "create") == 0;

    if (argc < 3) {
        fprintf(stderr, "usage: job_table create|work|hold|close|audit REGION [SLOT]\n");
        return 2;
    }
    attach(argv[2], is_new ? FW_REGION_CREATE : 0u);
    if (is_new) {
        lock();
        count(&table[JOB_TABLE_COUNTS]);
        unlock();
    } else if (strcmp(argv[1], "work") == 0 && argc == 4) {
        work((unsigned)strtoul(argv[3], NULL, 10) % JOB_TABLE_SLOTS);
    } else if (strcmp(argv[1], "close") == 0) {
        lock();
        table[JOB_TABLE_CLOSED] = 1;
        unlock();
    } else if (strcmp(argv[1], "hold") == 0) {
        hold();
    } else if (strcmp(argv[1], "audit") == 0) {
        audit();
    } else {
        return 2;
    }
    return EXIT_SUCCESS;
}
