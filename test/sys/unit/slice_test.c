/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "sys/slice.h"
#include "test/support/unit.h"

/* Asking for a longer time slice: the states of sys/slice.h; the test plays the kernel. */

static struct fw_slice_ slice;
static struct fw_slice_control_ control;
static int a, b;

/*
 * What happens, in order, and what must be seen then:
 *
 *     a b   a lock is taken, and time asked for        s  the program itself asks for time
 *     A B   it is released: there is nothing to yield  g  time is up, and the kernel grants more
 *     X Y   it is released: the thread must yield      t  the kernel takes the CPU away
 *
 *     0 1   the request   +  time is granted   n l  no lock asks, or b does   .  nothing is left
 */
static const struct {
    const char *what, *script;
} scripts[] = {
    {"a holder asks until it is done", "a1A."},
    {"who was granted time yields; the grant is the kernel's to clear", "agX+n"},
    {"who was too slow does not", "agtA."},
    {"the outer lock asks for the inner one, and nobody while time is granted", "abB1gb0BX"},
    {"locks are released in the order in which they were taken", "abA.B."},
    {"the inner lock asks when the outer one has lost the CPU", "atb1gA+Y"},
    {"released where nobody asked, or asks no more", "A.bA1BB."},
    /* Taken through the slow path, released through the fast one: one extension too many. */
    {"a request that was left ends with a grant", "abBgtblB."},
    {"what the program itself has asked for, and got, is left alone", "saA1gaA+0"},
};

/* What the kernel does when the time is up, and the thread has asked. */
static void grant(void)
{
    assert_int_equal(control.request, 1);
    assert_int_equal(control.granted, 0);
    control.request = 0;
    control.granted = 1;
}

static void assert_idle(void)
{
    assert_null(slice.lock);
    assert_int_equal(control.request, 0);
    assert_int_equal(control.granted, 0);
    assert_int_equal(control.reserved, 0);
}

static void happen(char step)
{
    const void *lock = strchr("aAX", step) != NULL ? &a : &b;

    if (strchr("ab", step) != NULL)
        fw_slice_ask_in_(&slice, &control, lock);
    else if (strchr("ABXY", step) != NULL)
        assert_int_equal(fw_slice_done_in_(&slice, &control, lock), step >= 'X');
    else if (step == 's')
        control.request = 1;
    else if (step == 'g')
        grant();
    else if (step == 't')
        control.request = control.granted = 0;
    else if (step == '0' || step == '1')
        assert_int_equal(control.request, step - '0');
    else if (step == '+')
        assert_int_equal(control.granted, 1);
    else if (step == 'n' || step == 'l')
        assert_ptr_equal(slice.lock, step == 'l' ? &b : NULL);
    else
        assert_idle();
}

TEST(requests_and_grants)
{
    for (unsigned i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        print_message("    %s\n", scripts[i].what);
        slice = (struct fw_slice_){0};
        control = (struct fw_slice_control_){0};
        for (const char *step = scripts[i].script; *step != '\0'; step++)
            happen(*step);
    }
}

/* On this kernel, whatever it has: nothing happens that can be seen. */
static void *hold_and_release(void *unused)
{
    (void)unused;
    errno = EXDEV;
    for (int i = 0; i < 1000; i++) {
        fw_slice_ask_(&a);
        fw_slice_ask_(&b);
        fw_slice_done_(&b);
        fw_slice_done_(&a);
        fw_slice_done_(NULL);
    }
    return errno == EXDEV ? &a : NULL;
}

TEST(this_kernel_does_no_harm)
{
    pthread_t thread;
    void *good;

    assert_int_equal(pthread_create(&thread, NULL, hold_and_release, NULL), 0);
    assert_non_null(hold_and_release(NULL));
    pthread_join(thread, &good);
    assert_non_null(good);
}

UNIT_MAIN(NULL, NULL)
