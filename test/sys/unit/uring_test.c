/* SPDX-License-Identifier: MIT */
#include "sys/uring.h"

#include <errno.h>
#include <pthread.h>

#include <furwock/futex.h>

#include "sys/descriptors.h"
#include "sys/readable.h"
#include "test/support/unit.h"

static struct fw_uring_ ring;
static uint32_t word;

static int make(void)
{
    int error = fw_uring_open_(&ring, 8);

    word = 0;
    if (error != 0)
        print_message("(no io_uring here: error %d)\n", error);
    return 0;
}

static void unmake(void)
{
    if (ring.fd >= 0)
        fw_uring_close_(&ring);
}

static void need_ring(void)
{
    if (ring.fd < 0)
        skip();
}

static int taken(uint64_t *tag)
{
    int result = 0;

    assert_int_equal(fw_uring_enter_(&ring, 1), 0);
    assert_true(fw_uring_take_(&ring, tag, &result));
    return result;
}

TEST(completes_at_once_if_the_word_differs)
{
    uint64_t tag = 0;

    need_ring();
    assert_false(fw_uring_is_due_(&ring));
    assert_true(fw_uring_put_wait_(&ring, &word, 1, 7));
    assert_true(fw_uring_is_due_(&ring));
    if (taken(&tag) == -EINVAL) /* older than Linux 6.7 */
        skip();
    assert_int_equal(tag, 7);
    assert_false(fw_uring_take_(&ring, &tag, &(int){0}));
}

TEST(raises_an_event_when_woken)
{
    uint64_t tag = 0;

    int event = fw_event_make_();

    need_ring();
    assert_int_equal(fw_uring_tell_(&ring, event), 0);
    fw_uring_put_wait_(&ring, &word, 0, 9);
    assert_int_equal(fw_uring_enter_(&ring, 0), 0);
    if (fw_uring_take_(&ring, &tag, &(int){0})) /* older than Linux 6.7 */
        skip();
    assert_false(fw_readable_within_(event, 0));
    assert_int_equal(fw_futex_wake(&word, 1, FW_FUTEX_SHARED), 1);
    assert_true(fw_readable_within_(event, 0));
    assert_true(fw_uring_is_due_(&ring));
    assert_int_equal(taken(&tag), 0);
    assert_int_equal(tag, 9);
    fw_descriptor_close_(event);
}

TEST(says_when_there_is_no_room)
{
    need_ring();
    for (unsigned i = 0; i < 8; i++)
        assert_true(fw_uring_put_wait_(&ring, &word, 1, 1));
    assert_false(fw_uring_put_wait_(&ring, &word, 1, 1));
    assert_false(fw_uring_put_cancel_(&ring, 1, 0));
    assert_int_equal(fw_uring_enter_(&ring, 0), 0);
    assert_true(fw_uring_put_cancel_all_(&ring, 0));
}

static void *enter(void *result)
{
    *(int *)result = fw_uring_enter_(&ring, 0);
    return NULL;
}

TEST(belongs_to_one_thread)
{
    pthread_t thread;
    int result = 0;

    need_ring();
    fw_uring_put_wait_(&ring, &word, 1, 1);
    pthread_create(&thread, NULL, enter, &result);
    pthread_join(thread, NULL);
    assert_int_equal(result, EEXIST);
}

UNIT_MAIN(make, unmake)
