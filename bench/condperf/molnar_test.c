/* SPDX-License-Identifier: MIT */
/* Molnar 2003: 1p, 2p and 4p are 1, 2 and 4 CPUs of the machine, whichever it may use. */
#include "molnar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/workers.h"

static void threads_are_kept_on_so_many_cpus(void **state)
{
    unsigned usable = cpus_usable();
    cpu_set_t before;

    (void)state;
    molnar_confine(1, &before);
    assert_int_equal(cpus_usable(), 1);
    molnar_release(&before);
    assert_int_equal(cpus_usable(), usable);
    molnar_confine(0, &before);
    assert_int_equal(cpus_usable(), usable);
}

static void there_are_as_many_columns_as_fit(void **state)
{
    cpu_set_t before;

    (void)state;
    molnar_confine(1, &before);
    assert_int_equal(molnar_columns(), 1);
    molnar_release(&before);
    assert_int_equal(molnar_columns(), cpus_usable() >= 4 ? 3 : cpus_usable() >= 2 ? 2 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_kept_on_so_many_cpus),
        cmocka_unit_test(there_are_as_many_columns_as_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
