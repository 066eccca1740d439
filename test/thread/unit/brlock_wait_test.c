/* SPDX-License-Identifier: MIT */
#include "brlock_word.h"

/* fw_brlock: readers that wait for writers, those who lose, and what is an error. */

static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

static int writer_opens(struct fake_call *call)
{
    assert_ptr_equal(call->word, &lock.owner_);
    assert_int_equal(call->expected, FAKE_ID(OTHER) | BRLOCK_SLEEPERS);
    as(OTHER, fw_brlock_wrunlock);
    return FAKE_COMPARE;
}

static void a_reader_sleeps_until_the_writer_opens(void **unused)
{
    (void)unused;
    as(OTHER, fw_brlock_wrlock);
    fake.on_sleep = writer_opens;
    assert_int_equal(fw_brlock_rdlock_policy(&lock, &block, NULL), 0);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->n, FW_FUTEX_ALL);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
}

static int opens_while_on_the_way(struct fake_call *call)
{
    (void)call;
    as(OTHER, fw_brlock_wrunlock);
    return FAKE_COMPARE; /* the word has changed: the kernel says so */
}

static void a_reader_on_its_way_to_sleep_is_not_lost(void **unused)
{
    (void)unused;
    as(OTHER, fw_brlock_wrlock);
    fake.on_wait = opens_while_on_the_way;
    assert_int_equal(fw_brlock_rdlock_policy(&lock, &block, NULL), 0);
    assert_int_equal(fake.waits, 1);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
}

static void opens_in_a_pause(void)
{
    fake.on_poll = NULL;
    as(OTHER, fw_brlock_wrunlock);
}

static void a_reader_polls_first(void **unused)
{
    (void)unused;
    as(OTHER, fw_brlock_wrlock);
    fake.on_poll = opens_in_a_pause;
    fw_brlock_rdlock(&lock);
    assert_int_equal(fake.waits, 0);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
}

/* The reader sleeps, the closed flag is clear, and the next writer comes before the reader runs. */
static int next_writer_comes(struct fake_call *call)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000000);

    if (call->word != &lock.owner_) {
        assert_ptr_equal(call->word, &lock.lines_->kept);
        assert_int_equal(call->expected, BRLOCK_READER | BRLOCK_CLOSED);
        return FAKE_COMPARE;
    }
    as(OTHER, fw_brlock_wrunlock);
    fake_as(THIRD);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    assert_int_equal(lock.owner_, 0);
    return FAKE_COMPARE;
}

static void a_reader_waits_for_one_writer_at_most(void **unused)
{
    (void)unused;
    as(OTHER, fw_brlock_wrlock);
    fake.on_sleep = next_writer_comes;
    assert_int_equal(fw_brlock_rdlock_policy(&lock, &block, NULL), 0);
    assert_int_equal(fake.waits, 2);
    assert_int_equal(lock.lines_->kept, 0);
    assert_int_equal(fake.fences, has_counters(&lock) ? 1 : 0);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
}

static uint32_t *kept(void)
{
    return &lock.lines_->kept;
}

static void kept_reader_comes_in(void)
{
    fake.on_poll = NULL;
    *kept() -= BRLOCK_READER;
}

static void a_writer_lets_in_those_who_were_kept_out(void **unused)
{
    (void)unused;
    *kept() = BRLOCK_READER;
    fake.on_poll = kept_reader_comes_in;
    fw_brlock_wrlock(&lock);
    assert_int_equal(*kept(), 0);
    assert_int_equal(fake.pauses, 1);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

static int interrupted(struct fake_call *call)
{
    (void)call;
    fake.on_sleep = writer_opens;
    return -EINTR;
}

static void a_signal_is_no_loss(void **unused)
{
    (void)unused;
    as(OTHER, fw_brlock_wrlock);
    fake.on_sleep = interrupted;
    assert_int_equal(fw_brlock_rdlock_policy(&lock, &block, NULL), 0);
    assert_int_equal(fake.waits, 2);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
}

static void a_reader_has_its_deadline(void **unused)
{
    fw_deadline soon = fake_deadline(CLOCK_REALTIME, 1000000);
    fw_deadline past = fake_deadline(CLOCK_MONOTONIC, -1);
    fw_deadline wrong = {.clock = CLOCK_MONOTONIC, .at = {0, -1}};
    fw_wait_policy no_policy = {(fw_wait_kind)77, 0};

    (void)unused;
    assert_int_equal(fw_brlock_timedrdlock(&lock, &wrong), 0); /* nothing to wait for */
    fw_brlock_rdunlock(&lock);
    as(OTHER, fw_brlock_wrlock);
    assert_int_equal(fw_brlock_timedrdlock(&lock, &wrong), EINVAL);
    assert_int_equal(fw_brlock_rdlock_policy(&lock, &no_policy, NULL), EINVAL);
    assert_int_equal(fw_brlock_timedrdlock(&lock, &past), ETIMEDOUT);
    assert_int_equal(fw_brlock_timedrdlock(&lock, &soon), ETIMEDOUT);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(lock.lines_->kept, 0);
    as(OTHER, fw_brlock_wrunlock); /* wakes, for nobody */
    assert_int_equal(fake.wakes, 1);
    check_at_rest();
}

static void a_writer_waits_for_the_writer(void **unused)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000000);

    (void)unused;
    as(OTHER, fw_brlock_wrlock);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    as(OTHER, fw_brlock_wrunlock);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &soon), 0);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

static void check_panic(const char *what, uint32_t owner)
{
    assert_non_null(strstr(fake.panic_what, what));
    assert_ptr_equal(fake.panic_lock, &lock);
    assert_int_equal(fake.panic_caller, FAKE_ID(SELF));
    assert_int_equal(fake.panic_owner, owner);
}

static void the_writer_may_not_ask_again(void **unused)
{
    (void)unused;
    fw_brlock_wrlock(&lock);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fw_brlock_tryrdlock(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_wrlock(&lock));
    check_panic("again by its owner", FAKE_ID(SELF));
    FAKE_EXPECT_PANIC(fw_brlock_rdlock(&lock));
    check_panic("by the writer", FAKE_ID(SELF));
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    check_panic("destroyed by its owner", FAKE_ID(SELF));
    fw_brlock_wrunlock(&lock);
}

static void only_the_writer_releases(void **unused)
{
    (void)unused;
    FAKE_EXPECT_PANIC(fw_brlock_wrunlock(&lock));
    check_panic("does not own it", 0);
    as(OTHER, fw_brlock_wrlock);
    FAKE_EXPECT_PANIC(fw_brlock_wrunlock(&lock));
    check_panic("does not own it", FAKE_ID(OTHER));
}

static void a_read_lock_of_nobody_is_seen_where_it_can_be(void **unused)
{
    (void)unused;
    if (has_counters(&lock))
        fw_brlock_wrlock(&lock);
    FAKE_EXPECT_PANIC(fw_brlock_rdunlock(&lock));
    check_panic("nobody holds", 0);
}

static void a_lock_is_not_destroyed_while_it_is_read(void **unused)
{
    (void)unused;
    fw_brlock_rdlock(&lock);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    check_panic("while it is read", 0);
}

#define PLAIN(test) cmocka_unit_test_setup_teardown(test, begin_plain, end)
#define STRIPED(test) cmocka_unit_test_setup_teardown(test, begin_striped, end)
#define BOTH(test) PLAIN(test), STRIPED(test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_reader_sleeps_until_the_writer_opens),
        BOTH(a_reader_on_its_way_to_sleep_is_not_lost),
        BOTH(a_reader_polls_first),
        BOTH(a_reader_waits_for_one_writer_at_most),
        BOTH(a_writer_lets_in_those_who_were_kept_out),
        BOTH(a_signal_is_no_loss),
        BOTH(a_reader_has_its_deadline),
        BOTH(a_writer_waits_for_the_writer),
        BOTH(the_writer_may_not_ask_again),
        BOTH(only_the_writer_releases),
        BOTH(a_read_lock_of_nobody_is_seen_where_it_can_be),
        BOTH(a_lock_is_not_destroyed_while_it_is_read),
    };

    return cmocka_run_group_tests_name("brlock_wait", tests, NULL, NULL);
}
