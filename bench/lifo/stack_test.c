/* SPDX-License-Identifier: MIT */
/* The stack of lifo, on atomic operations that are right and on some that are not. */
#include "stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { HEAD = 32, ROUNDS = 300 };

/* --- Right, in one thread -------------------------------------------------------------------- */

static void plain_load(size_t size, const void *object, void *out, int order)
{
    (void)order;
    memcpy(out, object, size);
}

static bool plain_swing(size_t size, void *object, void *expected, const void *desired, int success,
                        int failure)
{
    (void)success;
    (void)failure;
    bool same = memcmp(object, expected, size) == 0;
    memcpy(same ? object : expected, same ? desired : object, size);
    return same;
}

static const struct libatomics plain = {.load = plain_load, .compare_exchange = plain_swing};

/* --- Wrong ----------------------------------------------------------------------------------- */

static unsigned calls;

/* Every hundredth says that it has changed the head, and has not. */
static bool lying_swing(size_t size, void *object, void *expected, const void *desired, int success,
                        int failure)
{
    if (++calls % 100 == 0)
        return true;
    return plain_swing(size, object, expected, desired, success, failure);
}

/* Every hundredth changes the head and says that it has not. */
static bool denying_swing(size_t size, void *object, void *expected, const void *desired,
                          int success, int failure)
{
    bool same = plain_swing(size, object, expected, desired, success, failure);

    if (++calls % 100 == 0 && same) {
        memcpy(expected, object, size);
        return false;
    }
    return same;
}

/* The hundredth brings a last word from another time. */
static void torn_load(size_t size, const void *object, void *out, int order)
{
    plain_load(size, object, out, order);
    if (++calls == 100)
        ((char *)out)[size - 1] ^= 1;
}

static struct worker workers[2];
static struct stack stack;

static void begin(const struct libatomics *library, size_t size)
{
    calls = 0;
    stack_init(&stack, library, size);
    for (int i = 0; i < 2; i++)
        workers[i] = (struct worker){.stack = &stack};
}

/* Two workers by turns: three pushed by one, two popped by the other. */
static void work(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct worker *one = &workers[i % 2], *other = &workers[(i + 1) % 2];
        for (unsigned k = 0; k < 3; k++)
            stack_push(one, i);
        for (unsigned k = 0; k < 2 && one->fault == NULL && other->fault == NULL; k++)
            stack_pop(other);
    }
}

static const char *outcome_on(const struct libatomics *library, size_t size)
{
    begin(library, size);
    work();
    const char *outcome = stack_check(&stack, workers, 2);
    stack_clear(&stack, workers, 2);
    return outcome;
}

static void test_elements_come_back_youngest_first(void **state)
{
    (void)state;
    begin(&plain, HEAD);
    stack_push(&workers[0], 5);
    stack_push(&workers[1], 7);
    assert_int_equal(stack_handled(&workers[1]), 1);
    assert_true(stack_pop(&workers[0]));
    assert_int_equal(workers[0].sum, (uint64_t)5 - 7);
    assert_true(stack_pop(&workers[0]));
    assert_false(stack_pop(&workers[0]));
    assert_int_equal(stack_handled(&workers[0]), 3);
    assert_null(stack_check(&stack, workers, 2));
    stack_clear(&stack, workers, 2);
}

static void test_heads_of_all_sizes(void **state)
{
    (void)state;
    for (size_t size = STACK_HEAD_LEAST; size <= STACK_HEAD_MOST; size += 24) {
        assert_null(outcome_on(&plain, size));
        assert_int_equal(workers[0].pushed + workers[1].pushed, 3 * ROUNDS);
        assert_int_equal(stack.head.tag[0], 5 * ROUNDS);
    }
}

static void test_damage_is_seen(void **state)
{
    const struct libatomics lying = {.load = plain_load, .compare_exchange = lying_swing};
    const struct libatomics denying = {.load = plain_load, .compare_exchange = denying_swing};
    const struct libatomics torn = {.load = torn_load, .compare_exchange = plain_swing};

    (void)state;
    assert_non_null(outcome_on(&lying, HEAD));
    assert_non_null(outcome_on(&denying, HEAD));
    assert_string_equal(outcome_on(&torn, HEAD), "a load of the head was torn");
}

static void test_other_elements_are_seen(void **state)
{
    (void)state;
    begin(&plain, HEAD);
    work();
    stack.head.top->element->value++;
    assert_string_equal(stack_check(&stack, workers, 2),
                        "other elements were popped than were pushed");
    stack_clear(&stack, workers, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_come_back_youngest_first),
        cmocka_unit_test(test_heads_of_all_sizes),
        cmocka_unit_test(test_damage_is_seen),
        cmocka_unit_test(test_other_elements_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
