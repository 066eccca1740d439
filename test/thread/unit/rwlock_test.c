/* SPDX-License-Identifier: MIT */
#include "rwlock_words.h"
#include "thread/rwlock_posix.h"

/*
 * src/thread/rwlock.c where nobody waits: what each call makes of each word, and misuse, which
 * aborts the program in checked mode, and in POSIX mode does not.
 */

TEST(all_kinds_begin_free)
{
    static const fw_rwlock fair = FW_RWLOCK_INIT, readers = FW_RWLOCK_INIT_READERS,
                           writers = FW_RWLOCK_INIT_WRITERS, greedy = FW_RWLOCK_INIT_GREEDY;
    const fw_rwlock *const made[] = {&fair, &readers, &writers, &greedy};

    for (int kind = FW_RWLOCK_FAIR; kind <= FW_RWLOCK_GREEDY; kind++) {
        memset(&l, 0xff, sizeof l);
        assert_int_equal(fw_rwlock_init(&l, (fw_rwlock_kind)kind), 0);
        assert_memory_equal(&l, made[kind], sizeof l);
    }
    assert_int_equal(fw_rwlock_init(&l, (fw_rwlock_kind)4), EINVAL);
    assert_memory_equal(&l, &greedy, sizeof l);
}

TEST(readers_are_counted_and_one_is_known)
{
    fw_rwlock_rdlock(&l);
    assert_word(&l, MINE | READERS(1));
    fake_as(OTHER);
    fw_rwlock_rdlock(&l);
    assert_word(&l, MINE | READERS(2));
    assert_int_equal(fw_rwlock_owner(&l), 0);
    fake_as(FAKE_SELF);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, READERS(1));
    assert_int_equal(fw_rwlock_tryrdlock(&l), 0);
    assert_word(&l, MINE | READERS(2));
    fake_as(OTHER);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, MINE | READERS(1)); /* somebody else's name stays */
    fake_as(FAKE_SELF);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, 0);
    l.state_ = BY(OTHER) | READERS(1);
    fw_rwlock_rdunlock(&l); /* the last takes any name */
    assert_word(&l, 0);
}

TEST(upgradable_goes_together_with_readers)
{
    fw_rwlock_rdlock(&l);
    fake_as(OWNER);
    fw_rwlock_upgradable_lock(&l);
    assert_word(&l, BY(OWNER) | UPGRADABLE | READERS(1));
    assert_int_equal(fw_rwlock_owner(&l), OWNER);
    assert_int_equal(fw_rwlock_tryupgrade(&l), EBUSY);
    fake_as(FAKE_SELF);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, BY(OWNER) | UPGRADABLE);
    fake_as(OWNER);
    assert_int_equal(fw_rwlock_tryupgrade(&l), 0);
    assert_word(&l, BY(OWNER) | WRITER);
    fw_rwlock_downgrade_upgradable(&l);
    assert_word(&l, BY(OWNER) | UPGRADABLE);
    fw_rwlock_upgrade(&l);
    assert_word(&l, BY(OWNER) | WRITER);
    fw_rwlock_downgrade(&l);
    assert_word(&l, BY(OWNER) | READERS(1));
    fw_rwlock_unlock(&l);
    assert_word(&l, 0);
    assert_int_equal(fw_rwlock_upgradable_trylock(&l), 0);
    fw_rwlock_downgrade(&l);
    assert_word(&l, BY(OWNER) | READERS(1));
    fw_rwlock_rdunlock(&l);
    fw_rwlock_upgradable_lock(&l);
    fw_rwlock_unlock(&l);
    assert_word(&l, 0);
    fw_rwlock_upgradable_lock(&l);
    fw_rwlock_upgradable_unlock(&l);
    assert_word(&l, 0);
}

/* Which calls succeed at once, as the caller's own modes come and go; all calls as OTHER. */
TEST(tries_answer_what_the_word_says)
{
    static const struct {
        uint64_t word;
        int answers[3]; /* read, write, upgradable */
    } cases[] = {
        {0, {0, 0, 0}},
        {BY(OWNER) | READERS(1), {0, EBUSY, 0}},
        {READERS(5), {0, EBUSY, 0}},
        {BY(OWNER) | WRITER, {EBUSY, EBUSY, EBUSY}},
        {BY(OWNER) | UPGRADABLE, {0, EBUSY, EBUSY}},
        {BY(OWNER) | UPGRADABLE | READERS(1), {0, EBUSY, EBUSY}},
        {READERS(1) | CLOSED | WAITERS, {EBUSY, EBUSY, EBUSY}},
        {CLOSED | WAKING, {EBUSY, 0, EBUSY}}, /* writers are greedy, readers are not */
        {WAKING, {0, 0, 0}},
        {READERS(0xffffff), {EAGAIN, EBUSY, 0}},
        {READERS(0xffffff) | CLOSED | WAITERS, {EBUSY, EBUSY, EBUSY}},
    };

    static int (*const tries[])(fw_rwlock *) = {fw_rwlock_tryrdlock, fw_rwlock_trywrlock,
                                                fw_rwlock_upgradable_trylock};

    fake_as(OTHER);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned k = 0; k < 3; k++) {
            l.state_ = cases[i].word;
            assert_int_equal(tries[k](&l), cases[i].answers[k]);
            if (cases[i].answers[k] != 0)
                assert_word(&l, cases[i].word);
        }
}

TEST(who_comes_and_goes_leaves_the_flags)
{
    l.state_ = CLOSED | WAKING;
    fw_rwlock_wrlock(&l);
    assert_word(&l, MINE | WRITER | CLOSED | WAKING);
    fw_rwlock_wrunlock(&l);
    assert_word(&l, CLOSED | WAKING);
    l.state_ = WAKING;
    fw_rwlock_rdlock(&l);
    assert_word(&l, MINE | READERS(1) | WAKING);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, WAKING);
    fw_rwlock_upgradable_lock(&l);
    assert_word(&l, MINE | UPGRADABLE | WAKING);
    fw_rwlock_upgradable_unlock(&l);
    assert_word(&l, WAKING);
    l.state_ = READERS(2) | CLOSED | WAITERS;
    fw_rwlock_rdunlock(&l); /* not the last: need not enter the bucket */
    assert_word(&l, READERS(1) | CLOSED | WAITERS);
    assert_int_equal(fake.n_calls, 0);
}

/* --- Misuse -------------------------------------------------------------------------------- */

static fw_deadline soon(void)
{
    return fake_deadline(CLOCK_MONOTONIC, 100000);
}

static void timed_write(fw_rwlock *lock)
{
    fw_deadline d = soon();

    (void)!fw_rwlock_timedwrlock(lock, &d);
}

static void timed_read(fw_rwlock *lock)
{
    fw_deadline d = soon();

    (void)!fw_rwlock_timedrdlock(lock, &d);
}

static void try_upgrade(fw_rwlock *lock)
{
    (void)!fw_rwlock_tryupgrade(lock);
}

#define WRITE_AGAIN "rwlock write-locked by a thread that holds it"
#define UP_AGAIN "rwlock locked upgradable by a thread that holds it"
#define READ_BY_WRITER "rwlock read-locked by its writer"
#define READ_AGAIN "rwlock read-locked again while a writer waits"
#define NO_READER "rwlock read-unlocked, and nobody reads"
#define NO_WRITER "rwlock write-unlocked by a thread that does not write"
#define NOT_UP "rwlock upgradable-unlocked by a thread that does not hold it"
#define UPGRADED "rwlock upgraded by a thread that does not hold it upgradable"
#define DOWNGRADED "rwlock downgraded by a thread that does not hold it"
#define NOT_WRITING "rwlock downgraded by a thread that does not write"

static const struct {
    uint64_t word;
    void (*call)(fw_rwlock *);
    const char *what;
    uint32_t owner; /* as the panic names it */
} misuses[] = {
    /* who locks what it holds */
    {MINE | WRITER, fw_rwlock_wrlock, WRITE_AGAIN, FAKE_SELF},
    {MINE | WRITER, timed_write, WRITE_AGAIN, FAKE_SELF},
    {MINE | WRITER, fw_rwlock_rdlock, READ_BY_WRITER, FAKE_SELF},
    {MINE | WRITER, timed_read, READ_BY_WRITER, FAKE_SELF},
    {MINE | WRITER, fw_rwlock_upgradable_lock, UP_AGAIN, FAKE_SELF},
    {MINE | READERS(1), fw_rwlock_wrlock, WRITE_AGAIN, FAKE_SELF},
    {MINE | UPGRADABLE, fw_rwlock_wrlock, WRITE_AGAIN, FAKE_SELF},
    {MINE | UPGRADABLE, fw_rwlock_upgradable_lock, UP_AGAIN, FAKE_SELF},
    {MINE | READERS(1) | CLOSED | WAITERS, fw_rwlock_rdlock, READ_AGAIN, FAKE_SELF},
    {MINE | READERS(1) | CLOSED | WAITERS, fw_rwlock_upgradable_lock, UP_AGAIN, FAKE_SELF},
    /* who releases what it does not hold */
    {0, fw_rwlock_rdunlock, NO_READER, 0},
    {0, fw_rwlock_wrunlock, NO_WRITER, 0},
    {0, fw_rwlock_upgradable_unlock, NOT_UP, 0},
    {0, fw_rwlock_unlock, NO_READER, 0},
    {BY(OWNER) | WRITER, fw_rwlock_rdunlock, NO_READER, OWNER},
    {BY(OWNER) | WRITER, fw_rwlock_wrunlock, NO_WRITER, OWNER},
    {BY(OWNER) | WRITER, fw_rwlock_upgradable_unlock, NOT_UP, OWNER},
    {BY(OWNER) | WRITER, fw_rwlock_unlock, NO_WRITER, OWNER},
    {BY(OWNER) | UPGRADABLE, fw_rwlock_rdunlock, NO_READER, OWNER},
    {BY(OWNER) | UPGRADABLE, fw_rwlock_upgradable_unlock, NOT_UP, OWNER},
    {READERS(1), fw_rwlock_wrunlock, NO_WRITER, 0},
    /* who changes a mode that it does not have */
    {0, fw_rwlock_upgrade, UPGRADED, 0},
    {0, try_upgrade, UPGRADED, 0},
    {0, fw_rwlock_downgrade, DOWNGRADED, 0},
    {0, fw_rwlock_downgrade_upgradable, NOT_WRITING, 0},
    {BY(OWNER) | WRITER, fw_rwlock_upgrade, UPGRADED, OWNER},
    {BY(OWNER) | WRITER, try_upgrade, UPGRADED, OWNER},
    {BY(OWNER) | WRITER, fw_rwlock_downgrade, DOWNGRADED, OWNER},
    {BY(OWNER) | WRITER, fw_rwlock_downgrade_upgradable, NOT_WRITING, OWNER},
    {BY(OWNER) | UPGRADABLE, fw_rwlock_upgrade, UPGRADED, OWNER},
    {BY(OWNER) | UPGRADABLE, try_upgrade, UPGRADED, OWNER},
    {BY(OWNER) | UPGRADABLE, fw_rwlock_downgrade, DOWNGRADED, OWNER},
    {BY(OWNER) | UPGRADABLE, fw_rwlock_downgrade_upgradable, NOT_WRITING, OWNER},
};

TEST(misuse_stops_the_program)
{
    for (volatile unsigned i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        l.state_ = misuses[i].word;
        EXPECT_MISUSE(&l, misuses[i].call(&l), misuses[i].what,
                      misuses[i].owner != 0 ? FAKE_ID(misuses[i].owner) : 0);
    }
}

TEST(too_many_readers_are_an_error)
{
    fw_deadline d = soon();

    l.state_ = READERS(0xfffffe);
    fw_rwlock_rdlock(&l);
    assert_word(&l, MINE | READERS(0xffffff));
    assert_int_equal(fw_rwlock_timedrdlock(&l, &d), EAGAIN);
    assert_int_equal(fw_rwlock_rdlock_policy(&l, &block, NULL), EAGAIN);
    EXPECT_MISUSE(&l, fw_rwlock_rdlock(&l), "rwlock has too many readers", 0);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, READERS(0xfffffe));
    l.state_ = READERS(0xffffff);
    fw_rwlock_upgradable_lock(&l);
    EXPECT_MISUSE(&l, fw_rwlock_downgrade(&l), "rwlock has too many readers", 0);
}

/* --- POSIX mode ---------------------------------------------------------------------------- */

TEST(posix_the_writer_is_told)
{
    fw_deadline d = soon();

    l.state_ = MINE | WRITER;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), EDEADLK);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, NULL), EDEADLK);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, &d), EDEADLK);
    assert_word(&l, MINE | WRITER);
}

TEST(posix_a_reader_that_writes_waits)
{
    fw_deadline d = soon();

    l.state_ = MINE | READERS(1);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, &d), ETIMEDOUT);
    assert_word(&l, MINE | READERS(1));
}

/* The name may be that of a reader whose hold somebody else has given up. */
TEST(posix_a_reader_that_is_kept_out_waits)
{
    fw_deadline d = soon();

    l.state_ = MINE | READERS(2) | CLOSED | WAITERS;
    l.queue_ |= QUEUE_WRITER;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, &d), 0); /* the queue was empty: let in */
    assert_word(&l, MINE | READERS(3));
}

TEST(posix_free_locks_are_taken)
{
    fw_deadline bad = {{0, -1}, CLOCK_MONOTONIC};

    assert_int_equal(fw_rwlock_rdlock_posix_(&l, &bad), 0);
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | READERS(2));
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, &bad), EINVAL);
    l.state_ = RW_READERS;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), EAGAIN);
    l.state_ = 0;
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | WRITER);
}

TEST(posix_anybody_releases)
{
    l.state_ = BY(OTHER) | WRITER;
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, 0);
    l.state_ = BY(OTHER) | READERS(2);
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, BY(OTHER) | READERS(1));
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, 0);
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, 0);
    assert_int_equal(fake.n_calls, 0);
}

MEANWHILE(release_as_another, AS(THIRD, fw_rwlock_unlock_posix_(&l, l.state_)))

/* A release by one who never had it finds the queue, as any does. */
TEST(posix_queued_waiters_are_let_in)
{
    l.state_ = BY(OTHER) | WRITER;
    fake.on_wait = release_as_another;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | READERS(1));
    l.state_ = BY(OTHER) | READERS(1);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | WRITER);
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
}

UNIT_MAIN(reset_rwlock, NULL)
