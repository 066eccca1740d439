/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/waitqueue.h"
#include "testing.h"

/* src/core/waitqueue.c: lines, and who is inside. */

static int first_object, second_object;

static void nobody_waits_at_first(void **state)
{
    struct fw_room_ *room = fw_room_enter_(&first_object);

    (void)state;
    assert_null(fw_room_first_(room, &first_object));
    fw_room_leave_(room);
}

static void a_line_is_in_the_order_of_arrival(void **state)
{
    struct fw_place_ a, b, c, d;
    struct fw_room_ *room = fw_room_enter_(&first_object);

    (void)state;
    fw_room_insert_(room, &a, &first_object, 0);
    fw_room_insert_(room, &b, &second_object, 0); /* as if it led to the same room */
    fw_room_insert_(room, &c, &first_object, 0);
    fw_room_insert_(room, &d, &second_object, FW_ROOM_BEFORE_ALL_);
    assert_ptr_equal(fw_room_first_(room, &first_object), &a);
    assert_ptr_equal(fw_room_next_(&a), &c);
    assert_null(fw_room_next_(&c));
    assert_ptr_equal(fw_room_first_(room, &second_object), &d);
    assert_ptr_equal(fw_room_next_(&d), &b);
    fw_room_remove_(room, &a);
    assert_ptr_equal(fw_room_first_(room, &first_object), &c);
    fw_room_remove_(room, &d);
    fw_room_remove_(room, &c);
    assert_null(fw_room_first_(room, &first_object));
    assert_ptr_equal(room->first, &b);
    assert_ptr_equal(room->last, &b);
    fw_room_remove_(room, &b);
    assert_null(room->first);
    assert_null(room->last);
    fw_room_leave_(room);
}

/* The line, as the names of those in it. */
static const char *names_in(const struct fw_room_ *room, const struct fw_place_ *places)
{
    static char names[8];
    unsigned n = 0;

    for (struct fw_place_ *p = fw_room_first_(room, &first_object); p != NULL; p = fw_room_next_(p))
        names[n++] = (char)('a' + (p - places));
    names[n] = 0;
    return names;
}

static void the_most_urgent_stand_first(void **state)
{
    static const int urgency[] = {0, 20, 10, 20, 0, 10, FW_ROOM_BEFORE_ALL_};
    struct fw_place_ p[7], other;
    struct fw_room_ *room = fw_room_enter_(&first_object);

    (void)state;
    fw_room_insert_(room, &other, &second_object, 5);
    for (unsigned i = 0; i < 7; i++)
        fw_room_insert_(room, &p[i], &first_object, urgency[i]);
    assert_string_equal(names_in(room, p), "gbdcfae");
    fw_room_reorder_(room, &p[0], 10); /* behind its new equals */
    assert_string_equal(names_in(room, p), "gbdcfae");
    fw_room_reorder_(room, &p[2], 10);
    assert_string_equal(names_in(room, p), "gbdface");
    fw_room_reorder_(room, &p[1], 0);
    assert_string_equal(names_in(room, p), "gdfaceb");
    fw_room_reorder_(room, &p[4], 30);
    assert_string_equal(names_in(room, p), "gedfacb");
    for (unsigned i = 0; i < 7; i++)
        fw_room_remove_(room, &p[i]);
    assert_ptr_equal(fw_room_first_(room, &second_object), &other);
    assert_ptr_equal(room->first, &other);
    assert_ptr_equal(room->last, &other);
    fw_room_remove_(room, &other);
    fw_room_leave_(room);
}

enum { THREADS = 4, TURNS = 20000 };

static void *come_and_go(void *counter)
{
    for (unsigned i = 0; i < TURNS; i++) {
        struct fw_place_ mine;
        struct fw_room_ *room = fw_room_enter_(counter);

        fw_room_insert_(room, &mine, counter, 0);
        ++*(unsigned *)counter;
        fw_room_remove_(room, &mine);
        fw_room_leave_(room);
    }
    return NULL;
}

static void one_is_inside_at_a_time(void **state)
{
    static unsigned counter;
    pthread_t threads[THREADS];

    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &counter), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(counter, THREADS * TURNS);
}

static void a_forked_child_finds_rooms_empty_and_open(void **state)
{
    struct fw_place_ place;
    struct fw_room_ *room = fw_room_enter_(&first_object);
    int status;
    pid_t child;

    (void)state;
    fw_room_insert_(room, &place, &first_object, 0);
    child = fork();
    if (child == 0) {
        struct fw_room_ *mine = fw_room_enter_(&first_object);
        bool empty = fw_room_first_(mine, &first_object) == NULL;

        fw_room_leave_(mine);
        _exit(empty ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ptr_equal(fw_room_first_(room, &first_object), &place);
    fw_room_remove_(room, &place);
    fw_room_leave_(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_at_first),
        cmocka_unit_test(a_line_is_in_the_order_of_arrival),
        cmocka_unit_test(the_most_urgent_stand_first),
        cmocka_unit_test(one_is_inside_at_a_time),
        cmocka_unit_test(a_forked_child_finds_rooms_empty_and_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
