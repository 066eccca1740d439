/* SPDX-License-Identifier: MIT */
/* A lock that knows its owner stops a program that misuses it, with a line that names both. */
#include <signal.h>
#include <stdio.h>

#include "contract.h"
#include "measure/death.h"

struct offence {
    void *lock;
    void (*commit)(struct offence *o);
    int owner; /* thread ids, told by the child through its standard error: see tell() */
    int caller;
};

/* The child says first who is who; the lock's own line follows. */
static void tell(const struct offence *o)
{
    fprintf(stderr, "lock %p, caller %d, owner ", o->lock, o->caller);
    if (o->owner == 0)
        fputs("nobody\n", stderr);
    else
        fprintf(stderr, "%d\n", o->owner);
}

static void relock(struct offence *o)
{
    subject->lock(o->lock);
    o->owner = o->caller = own_tid();
    tell(o);
    subject->lock(o->lock);
}

static void relock_timed(struct offence *o)
{
    struct timespec at = clock_in_ns(MS);

    subject->lock(o->lock);
    o->owner = o->caller = own_tid();
    tell(o);
    subject->timedlock(o->lock, &at);
}

static void relock_after_try(struct offence *o)
{
    subject->trylock(o->lock);
    o->owner = o->caller = own_tid();
    tell(o);
    subject->lock(o->lock);
}

static void unlock_free(struct offence *o)
{
    o->caller = own_tid();
    tell(o);
    subject->unlock(o->lock);
}

static void unlock_twice(struct offence *o)
{
    o->caller = own_tid();
    subject->lock(o->lock);
    subject->unlock(o->lock);
    tell(o);
    subject->unlock(o->lock);
}

static void unlock_fair_free(struct offence *o)
{
    o->caller = own_tid();
    tell(o);
    subject->unlock_fair(o->lock);
}

static void unlock_as_stranger(unsigned index, void *arg)
{
    struct offence *o = arg;

    (void)index;
    o->caller = own_tid();
    tell(o);
    subject->unlock(o->lock);
}

static void unlock_foreign(struct offence *o)
{
    o->owner = own_tid();
    subject->lock(o->lock);
    workers_run(1, WORKER_THREADS, unlock_as_stranger, o);
}

/* The owner has been contended: others have waited, and wait. */
static void unlock_foreign_contended(struct offence *o)
{
    struct helper h = {.lock = o->lock};

    o->owner = own_tid();
    subject->lock(o->lock);
    helper_start(&h);
    workers_run(1, WORKER_THREADS, unlock_as_stranger, o);
}

static void be_the_offender(void *arg)
{
    struct offence *o = arg;

    o->lock = lock_make(false); /* here: a lock may have been told in the parent who we are */
    o->commit(o);
}

static void expect_death(void (*commit)(struct offence *))
{
    struct offence o = {.commit = commit};
    struct death d;

    assert_int_equal(death_run(be_the_offender, &o, patience * 1000 / 3, &d), 0);
    assert_false(d.timed_out);
    assert_int_equal(d.signal, SIGABRT);

    /* First the child's own line, then, at the end of another line, the same words. */
    char *end = strchr(d.text, '\n');
    assert_non_null(end);
    *end = '\0';
    char *panic = strstr(end + 1, "furwock: ");
    assert_non_null(panic);
    if (strstr(panic, d.text) == NULL)
        fail_msg("expected a line with \"%s\", got \"%s\"", d.text, panic);
}

TEST(test_relocking_dies)
{
    expect_death(relock);
    if (subject->timedlock != NULL)
        expect_death(relock_timed);
    if (subject->trylock != NULL)
        expect_death(relock_after_try);
}

TEST(test_unlocking_a_free_lock_dies)
{
    expect_death(unlock_free);
    expect_death(unlock_twice);
    if (subject->unlock_fair != NULL)
        expect_death(unlock_fair_free);
}

TEST(test_unlocking_anothers_lock_dies)
{
    expect_death(unlock_foreign);
    expect_death(unlock_foreign_contended);
}

const struct contract_group group_misuse = {
    "misuse", &family_locks, knows_owner,
    TESTS(cmocka_unit_test(test_relocking_dies), cmocka_unit_test(test_unlocking_a_free_lock_dies),
          cmocka_unit_test(test_unlocking_anothers_lock_dies))};
