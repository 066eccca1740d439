/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "rwlock_words.h"

/* src/thread/rwlock.c where nobody waits: what each call makes of each word, and misuse. */

static fw_rwlock l;

static int reset(void)
{
    fake_reset();
    fw_rwlock_init(&l, FW_RWLOCK_FAIR);
    return 0;
}

TEST(all_kinds_begin_free)
{
    static const fw_rwlock fair = FW_RWLOCK_INIT, readers = FW_RWLOCK_INIT_READERS,
                           writers = FW_RWLOCK_INIT_WRITERS;
    const fw_rwlock *const made[] = {&fair, &readers, &writers};

    for (int kind = FW_RWLOCK_FAIR; kind <= FW_RWLOCK_PREFER_WRITERS; kind++) {
        memset(&l, 0xff, sizeof l);
        assert_int_equal(fw_rwlock_init(&l, (fw_rwlock_kind)kind), 0);
        assert_memory_equal(&l, made[kind], sizeof l);
    }
    assert_int_equal(fw_rwlock_init(&l, (fw_rwlock_kind)3), EINVAL);
    assert_memory_equal(&l, &writers, sizeof l);
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
        int read, write, upgradable;
    } cases[] = {
        {0, 0, 0, 0},
        {BY(OWNER) | READERS(1), 0, EBUSY, 0},
        {READERS(5), 0, EBUSY, 0},
        {BY(OWNER) | WRITER, EBUSY, EBUSY, EBUSY},
        {BY(OWNER) | UPGRADABLE, 0, EBUSY, EBUSY},
        {BY(OWNER) | UPGRADABLE | READERS(1), 0, EBUSY, EBUSY},
        {READERS(1) | CLOSED | WAITERS, EBUSY, EBUSY, EBUSY},
        {CLOSED | WAKING, EBUSY, 0, EBUSY}, /* writers are greedy, readers are not */
        {WAKING, 0, 0, 0},
        {READERS(0xffffff), EAGAIN, EBUSY, 0},
        {READERS(0xffffff) | CLOSED | WAITERS, EBUSY, EBUSY, EBUSY},
    };

    fake_as(OTHER);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        l.state_ = cases[i].word;
        assert_int_equal(fw_rwlock_tryrdlock(&l), cases[i].read);
        if (cases[i].read != 0)
            assert_word(&l, cases[i].word);
        l.state_ = cases[i].word;
        assert_int_equal(fw_rwlock_trywrlock(&l), cases[i].write);
        if (cases[i].write != 0)
            assert_word(&l, cases[i].word);
        l.state_ = cases[i].word;
        assert_int_equal(fw_rwlock_upgradable_trylock(&l), cases[i].upgradable);
        if (cases[i].upgradable != 0)
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

#define EXPECT_MISUSE(statement, what, owner)                        \
    do {                                                             \
        uint64_t before_ = l.state_;                                 \
        FAKE_EXPECT_PANIC(statement);                                \
        assert_string_equal(fake.panic_what, what);                  \
        assert_ptr_equal(fake.panic_lock, &l);                       \
        assert_int_equal(fake.panic_caller, FAKE_ID(FAKE_SELF));     \
        assert_int_equal(fake.panic_owner, owner);                   \
        assert_word(&l, before_); /* the lock is still to be seen */ \
    } while (0)

TEST(locking_what_one_holds_stops)
{
    const uint32_t me = FAKE_ID(FAKE_SELF);
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    fw_rwlock_wrlock(&l);
    EXPECT_MISUSE(fw_rwlock_wrlock(&l), "rwlock write-locked by a thread that holds it", me);
    EXPECT_MISUSE(fw_rwlock_timedwrlock(&l, &d), "rwlock write-locked by a thread that holds it",
                  me);
    EXPECT_MISUSE(fw_rwlock_rdlock(&l), "rwlock read-locked by its writer", me);
    EXPECT_MISUSE(fw_rwlock_timedrdlock(&l, &d), "rwlock read-locked by its writer", me);
    EXPECT_MISUSE(fw_rwlock_upgradable_lock(&l),
                  "rwlock locked upgradable by a thread that holds it", me);
    fw_rwlock_downgrade(&l);
    EXPECT_MISUSE(fw_rwlock_wrlock(&l), "rwlock write-locked by a thread that holds it", me);
    fw_rwlock_rdunlock(&l);
    fw_rwlock_upgradable_lock(&l);
    EXPECT_MISUSE(fw_rwlock_wrlock(&l), "rwlock write-locked by a thread that holds it", me);
    EXPECT_MISUSE(fw_rwlock_upgradable_lock(&l),
                  "rwlock locked upgradable by a thread that holds it", me);
    fw_rwlock_upgradable_unlock(&l);
}

TEST(reading_again_stops_where_a_writer_waits)
{
    const uint32_t me = FAKE_ID(FAKE_SELF);

    fw_rwlock_rdlock(&l);
    l.state_ |= CLOSED | WAITERS;
    EXPECT_MISUSE(fw_rwlock_rdlock(&l), "rwlock read-locked again while a writer waits", me);
    EXPECT_MISUSE(fw_rwlock_upgradable_lock(&l),
                  "rwlock locked upgradable by a thread that holds it", me);
    assert_int_equal(fw_rwlock_tryrdlock(&l), EBUSY);
}

TEST(releasing_what_one_does_not_hold_stops)
{
    static const char read[] = "rwlock read-unlocked, and nobody reads",
                      write[] = "rwlock write-unlocked by a thread that does not write",
                      up[] = "rwlock upgradable-unlocked by a thread that does not hold it";

    EXPECT_MISUSE(fw_rwlock_rdunlock(&l), read, 0);
    EXPECT_MISUSE(fw_rwlock_wrunlock(&l), write, 0);
    EXPECT_MISUSE(fw_rwlock_upgradable_unlock(&l), up, 0);
    EXPECT_MISUSE(fw_rwlock_unlock(&l), read, 0);
    l.state_ = BY(OWNER) | WRITER;
    EXPECT_MISUSE(fw_rwlock_rdunlock(&l), read, FAKE_ID(OWNER));
    EXPECT_MISUSE(fw_rwlock_wrunlock(&l), write, FAKE_ID(OWNER));
    EXPECT_MISUSE(fw_rwlock_upgradable_unlock(&l), up, FAKE_ID(OWNER));
    EXPECT_MISUSE(fw_rwlock_unlock(&l), write, FAKE_ID(OWNER));
    l.state_ = BY(OWNER) | UPGRADABLE;
    EXPECT_MISUSE(fw_rwlock_rdunlock(&l), read, FAKE_ID(OWNER));
    EXPECT_MISUSE(fw_rwlock_upgradable_unlock(&l), up, FAKE_ID(OWNER));
    l.state_ = READERS(1);
    EXPECT_MISUSE(fw_rwlock_wrunlock(&l), write, 0);
}

TEST(changing_a_mode_that_one_does_not_have_stops)
{
    static const char up[] = "rwlock upgraded by a thread that does not hold it upgradable",
                      down[] = "rwlock downgraded by a thread that does not hold it",
                      half[] = "rwlock downgraded by a thread that does not write";

    for (int i = 0; i < 3; i++) {
        const uint64_t words[] = {0, BY(OWNER) | WRITER, BY(OWNER) | UPGRADABLE};
        const uint32_t owner = i == 0 ? 0 : FAKE_ID(OWNER);

        l.state_ = words[i];
        EXPECT_MISUSE(fw_rwlock_upgrade(&l), up, owner);
        EXPECT_MISUSE(fw_rwlock_tryupgrade(&l), up, owner);
        EXPECT_MISUSE(fw_rwlock_downgrade(&l), down, owner);
        EXPECT_MISUSE(fw_rwlock_downgrade_upgradable(&l), half, owner);
    }
}

TEST(too_many_readers_are_an_error)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    l.state_ = READERS(0xfffffe);
    fw_rwlock_rdlock(&l);
    assert_word(&l, MINE | READERS(0xffffff));
    assert_int_equal(fw_rwlock_timedrdlock(&l, &d), EAGAIN);
    assert_int_equal(fw_rwlock_rdlock_policy(&l, &block, NULL), EAGAIN);
    EXPECT_MISUSE(fw_rwlock_rdlock(&l), "rwlock has too many readers", 0);
    fw_rwlock_rdunlock(&l);
    assert_word(&l, READERS(0xfffffe));
    l.state_ = READERS(0xffffff);
    fw_rwlock_upgradable_lock(&l);
    EXPECT_MISUSE(fw_rwlock_downgrade(&l), "rwlock has too many readers", 0);
}

UNIT_MAIN(reset, NULL)
