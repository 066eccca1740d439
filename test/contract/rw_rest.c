/* SPDX-License-Identifier: MIT */
/* What a read-write lock has to do as any lock has, in both of its modes. */
#include <sched.h>
#include <signal.h>

#include "measure/death.h"
#include "rw.h"

/* --- No wake-up is lost: the tasks meet before each round, as in wakeup.c --------------------- */

static void check_rounds(unsigned tasks, unsigned rounds, unsigned reads, unsigned kind)
{
    struct load l = rw_load(tasks, kind, rounds, reads);

    l.hold_ns = l.meet_ns = 6000;
    load_run("each reads or writes once per round", &l);
}

TEST(test_readers_and_writers_meet)
{
    for (unsigned share = 2; share < 16; share += 4) {
        check_rounds(2, 2000, share, WORKER_THREADS);
        check_rounds(5, 1000, share, WORKER_THREADS);
    }
    check_rounds(60, 60, 8, WORKER_THREADS);
}

TEST(test_processes_meet)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_rounds(4, 1500, 8, WORKER_PROCESSES);
}

const struct contract_group group_rw_wakeup = {
    "rw-wakeup", &family_rw, always,
    TESTS(cmocka_unit_test(test_readers_and_writers_meet), cmocka_unit_test(test_processes_meet)),
    ALSO(&group_wakeup)};

/* --- The last reader frees the lock, once it has written, or the last writer ------------------ */

static bool read_and_drop(void *lock, unsigned *references, struct rng *random)
{
    rw_subject->rdlock(lock);
    bool last = __atomic_fetch_sub(references, 1, __ATOMIC_ACQ_REL) == 1;
    hold(random, 100);
    rw_subject->rdunlock(lock);
    if (!last)
        return false;
    rw_subject->wrlock(lock); /* the others have left */
    rw_subject->wrunlock(lock);
    return true;
}

TEST(test_the_last_reader_frees)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        check_life(2, mapped, subject_head, read_and_drop);
        check_life(kind_tasks(4), mapped, subject_head, read_and_drop);
    }
}

const struct contract_group group_rw_lifetime = {
    "rw-lifetime", &family_rw, is_freeable, TESTS(cmocka_unit_test(test_the_last_reader_frees)),
    ALSO(&group_lifetime)};

/* --- Misuse ----------------------------------------------------------------------------------- */

static void read_what_one_writes(void *unused)
{
    void *lock = object_make(false);

    (void)unused;
    rw_subject->wrlock(lock);
    rw_subject->rdlock(lock);
}

TEST(test_a_writer_that_reads_dies)
{
    struct death d;

    assert_int_equal(death_run(read_what_one_writes, NULL, patience * 1000 / 3, &d), 0);
    assert_false(d.timed_out);
    assert_int_equal(d.signal, SIGABRT);
    assert_non_null(strstr(d.text, "furwock: "));
}

const struct contract_group group_rw_misuse = {
    "rw-misuse", &family_rw, knows_owner, TESTS(cmocka_unit_test(test_a_writer_that_reads_dies)),
    ALSO(&group_misuse)};

/* --- Memory, as any lock, and idleness in both modes ------------------------------------------ */

const struct contract_group group_rw_memory = {"rw-memory", &family_rw, always,
                                               ALSO(&group_memory)};

TEST(test_a_reader_sleeps)
{
    check_idle(rw_subject->wrlock, rw_subject->wrunlock, rw_subject->rdlock, rw_subject->rdunlock);
}

TEST(test_a_writer_sleeps_while_others_read)
{
    check_idle(rw_subject->rdlock, rw_subject->rdunlock, rw_subject->wrlock, rw_subject->wrunlock);
}

const struct contract_group group_rw_idle = {
    "rw-idle", &family_rw, blocks,
    TESTS(cmocka_unit_test(test_a_reader_sleeps),
          cmocka_unit_test(test_a_writer_sleeps_while_others_read)),
    ALSO(&group_idle)};
