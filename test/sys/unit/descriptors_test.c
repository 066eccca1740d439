/* SPDX-License-Identifier: MIT */
#include "sys/descriptors.h"

#include <errno.h>

#include "sys/clock.h"
#include "test/support/unit.h"

/* src/sys/descriptors.c */

static int poll_fd, event;

static int make(void)
{
    poll_fd = fw_poll_make_();
    event = fw_event_make_();
    return poll_fd < 0 || event < 0 || fw_poll_add_(poll_fd, event) != 0;
}

static void unmake(void)
{
    fw_descriptor_close_(event);
    fw_descriptor_close_(poll_fd);
}

TEST(an_event_is_read_once_for_each_write)
{
    assert_false(fw_event_read_(event));
    assert_int_equal(fw_poll_wait_(poll_fd, 0), ETIMEDOUT);
    fw_event_write_(event);
    assert_int_equal(fw_poll_wait_(poll_fd, FW_POLL_FOREVER_), 0);
    assert_true(fw_event_read_(event));
    assert_int_equal(fw_poll_wait_(poll_fd, 1000), ETIMEDOUT);
}

TEST(what_was_taken_out_is_not_waited_for)
{
    fw_poll_remove_(poll_fd, event);
    fw_event_write_(event);
    assert_int_equal(fw_poll_wait_(poll_fd, 0), ETIMEDOUT);
    assert_int_equal(fw_poll_add_(poll_fd, event), 0);
    assert_int_equal(fw_poll_wait_(poll_fd, 0), 0);
    assert_int_equal(fw_poll_add_(poll_fd, event), EEXIST);
}

TEST(a_timer_fires_until_it_is_set_anew)
{
    fw_deadline soon = fw_deadline_in_(CLOCK_MONOTONIC, 1000000);
    struct timespec zero = {0, 0}, before = {-5, 0};
    int timer = fw_timer_make_(CLOCK_MONOTONIC);

    assert_true(timer >= 0);
    assert_int_equal(fw_poll_add_(poll_fd, timer), 0);
    fw_timer_set_(timer, &soon.at);
    assert_int_equal(fw_poll_wait_(poll_fd, FW_POLL_FOREVER_), 0);
    assert_true(fw_deadline_is_over_(&soon));
    fw_timer_set_(timer, NULL);
    assert_int_equal(fw_poll_wait_(poll_fd, 0), ETIMEDOUT);
    fw_timer_set_(timer, &zero);
    assert_int_equal(fw_poll_wait_(poll_fd, FW_POLL_FOREVER_), 0);
    fw_timer_set_(timer, &before);
    assert_int_equal(fw_poll_wait_(poll_fd, FW_POLL_FOREVER_), 0);
    fw_descriptor_close_(timer);
}

UNIT_MAIN(make, unmake)
