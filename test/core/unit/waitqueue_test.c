/* SPDX-License-Identifier: MIT */
#include "core/waitqueue.h"
#include "test/sys/unit/in_child.h"

/* src/core/waitqueue.c: queues, and their bucket locks. */

static int first_object, second_object;

static bool has_nobody(const struct fw_waitqueue_ *bucket)
{
    for (unsigned i = 0; i < FW_WAITQUEUE_LISTS_; i++)
        if (bucket->lines[i] != NULL)
            return false;
    return true;
}

TEST(a_line_is_in_the_order_of_arrival)
{
    struct fw_waiter_node_ a, b, c, d;
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&first_object);

    fw_waitqueue_insert_(bucket, &a, &first_object, 0);
    fw_waitqueue_insert_(bucket, &b, &second_object, 0); /* as if it led to the same bucket */
    fw_waitqueue_insert_(bucket, &c, &first_object, 0);
    fw_waitqueue_insert_(bucket, &d, &second_object, FW_WAITQUEUE_FIRST_);
    assert_ptr_equal(fw_waitqueue_first_(bucket, &first_object), &a);
    assert_ptr_equal(fw_waitqueue_next_(&a), &c);
    assert_null(fw_waitqueue_next_(&c));
    assert_ptr_equal(fw_waitqueue_first_(bucket, &second_object), &d);
    assert_ptr_equal(fw_waitqueue_next_(&d), &b);
    fw_waitqueue_remove_(bucket, &a);
    assert_ptr_equal(fw_waitqueue_first_(bucket, &first_object), &c);
    fw_waitqueue_remove_(bucket, &d);
    fw_waitqueue_remove_(bucket, &c);
    assert_null(fw_waitqueue_first_(bucket, &first_object));
    assert_ptr_equal(fw_waitqueue_first_(bucket, &second_object), &b);
    fw_waitqueue_remove_(bucket, &b);
    assert_true(has_nobody(bucket));
    fw_waitqueue_unlock_(bucket);
}

/* The line, as the names of those in it. */
static const char *names_in(const struct fw_waitqueue_ *bucket, const struct fw_waiter_node_ *nodes)
{
    static char names[8];
    unsigned n = 0;

    for (struct fw_waiter_node_ *p = fw_waitqueue_first_(bucket, &first_object); p != NULL;
         p = fw_waitqueue_next_(p))
        names[n++] = (char)('a' + (p - nodes));
    names[n] = 0;
    return names;
}

TEST(the_most_urgent_stand_first)
{
    static const int urgency[] = {0, 20, 10, 20, 0, 10, FW_WAITQUEUE_FIRST_};
    struct fw_waiter_node_ p[7], other;
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&first_object);

    fw_waitqueue_insert_(bucket, &other, &second_object, 5);
    for (unsigned i = 0; i < 7; i++)
        fw_waitqueue_insert_(bucket, &p[i], &first_object, urgency[i]);
    assert_string_equal(names_in(bucket, p), "gbdcfae");
    fw_waitqueue_reorder_(bucket, &p[0], 10); /* behind its new equals */
    assert_string_equal(names_in(bucket, p), "gbdcfae");
    fw_waitqueue_reorder_(bucket, &p[2], 10);
    assert_string_equal(names_in(bucket, p), "gbdface");
    fw_waitqueue_reorder_(bucket, &p[1], 0);
    assert_string_equal(names_in(bucket, p), "gdfaceb");
    fw_waitqueue_reorder_(bucket, &p[4], 30);
    assert_string_equal(names_in(bucket, p), "gedfacb");
    fw_waitqueue_advance_(bucket, &p[2]); /* before its equals */
    assert_string_equal(names_in(bucket, p), "gedcfab");
    fw_waitqueue_advance_(bucket, &p[6]);
    assert_string_equal(names_in(bucket, p), "gedcfab");
    for (unsigned i = 0; i < 7; i++)
        fw_waitqueue_remove_(bucket, &p[i]);
    assert_ptr_equal(fw_waitqueue_first_(bucket, &second_object), &other);
    fw_waitqueue_remove_(bucket, &other);
    assert_true(has_nobody(bucket));
    fw_waitqueue_unlock_(bucket);
}

static bool is_empty(const int *object)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(object);
    bool empty = fw_waitqueue_first_(bucket, object) == NULL;

    fw_waitqueue_unlock_(bucket);
    return empty;
}

TEST(a_forked_child_finds_buckets_empty_and_open)
{
    struct fw_waiter_node_ node;
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&first_object);

    fw_waitqueue_insert_(bucket, &node, &first_object, 0);
    assert_in_child(is_empty(&first_object));
    assert_ptr_equal(fw_waitqueue_first_(bucket, &first_object), &node);
    fw_waitqueue_remove_(bucket, &node);
    fw_waitqueue_unlock_(bucket);
}

UNIT_MAIN(NULL, NULL)
