/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "copy.h"
#include "test/support/testing.h"

/* atomic/copy.c and copy.h, at all places in a line and all sizes, with their surroundings. */

enum { LONGEST = 70, OFFSETS = 16, AROUND = 16, ALL = AROUND + OFFSETS + LONGEST + AROUND };

static _Alignas(16) unsigned char memory[ALL], before[ALL];
static unsigned char value[LONGEST], out[LONGEST + 1];

static void fill(unsigned seed)
{
    for (unsigned i = 0; i < ALL; i++)
        memory[i] = before[i] = (unsigned char)(seed + i * 37 + (i >> 3));
    for (unsigned i = 0; i < LONGEST; i++)
        value[i] = (unsigned char)~(seed + i * 37);
    memset(out, 0xee, sizeof out);
}

/* Only the object has changed: it is as `value`. */
static void check_written(const unsigned char *object, size_t n)
{
    size_t at = (size_t)(object - memory);

    assert_memory_equal(object, value, n);
    assert_memory_equal(memory, before, at);
    assert_memory_equal(object + n, before + at + n, ALL - at - n);
}

static void check_out(const unsigned char *object, size_t n)
{
    assert_memory_equal(out, before + (object - memory), n);
    assert_int_equal(out[n], 0xee);
}

static void check(unsigned char *object, size_t n)
{
    fill((unsigned)n);
    fw_copy_out_(out, object, n);
    check_out(object, n);
    assert_memory_equal(memory, before, ALL);

    fw_copy_in_(object, value, n);
    check_written(object, n);

    fill((unsigned)n + 1);
    fw_copy_swap_(object, value, out, n);
    check_written(object, n);
    check_out(object, n);

    fill((unsigned)n + 2);
    memcpy(out, value, n);
    fw_copy_swap_(object, out, out, n); /* what goes in and what comes out, in one place */
    check_written(object, n);
    check_out(object, n);
}

static void check_equal(unsigned char *object, size_t n)
{
    fill((unsigned)n);
    memcpy(out, object, n);
    assert_true(fw_copy_is_equal_(object, out, n));
    for (size_t i = 0; i < n; i++) {
        out[i] ^= (unsigned char)(1 << i % 8);
        assert_false(fw_copy_is_equal_(object, out, n));
        out[i] = object[i];
    }
    object[-1]++;
    object[n]++;
    assert_true(fw_copy_is_equal_(object, out, n));
}

static void every_size_at_every_offset(void **state)
{
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            check(memory + AROUND + offset, n);
            check_equal(memory + AROUND + offset, n);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_at_every_offset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
