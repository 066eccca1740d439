/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "object.h"
#include "stripes.h"

/*
 * atomic/object.c: what others do in the middle of an operation.  The object lies across the border
 * of two pages, of which the second is out of bounds at first: the operation has handled some words
 * when it gets there, and the signal handler plays the others.
 */

static unsigned char *pages;
static size_t page;
static unsigned char *object;
static size_t size;
static struct fw_stripe_ *stripe;
static void (*meanwhile)(void);
static unsigned faults;

static unsigned char old[64], value[64], out[64];

static void out_of_bounds(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    faults++;
    mprotect(pages + page, page, PROT_READ | PROT_WRITE);
    if ((unsigned char *)info->si_addr < pages + page ||
        (unsigned char *)info->si_addr >= pages + 2 * page)
        signal(signal_number, SIG_DFL); /* another fault than the one that is wanted */
    else
        meanwhile();
}

static int start(void **state)
{
    (void)state;
    page = (size_t)sysconf(_SC_PAGESIZE);
    pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED;
}

static int stop(void **state)
{
    (void)state;
    return munmap(pages, 2 * page);
}

/* The last word of the object, or its last byte, is behind the border. */
static void prepare(size_t n, int protection)
{
    /* cmocka has a handler of its own in each test. */
    struct sigaction act = {.sa_sigaction = out_of_bounds, .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGSEGV, &act, NULL);
    fresh_stripes(NULL);
    size = n;
    object = pages + page - (n - (n % 8 == 0 ? 8 : 1));
    stripe = fw_stripe_of_(object);
    for (size_t i = 0; i < n; i++) {
        object[i] = old[i] = (unsigned char)i;
        value[i] = (unsigned char)(200 - i);
    }
    memset(out, 0, sizeof out);
    faults = 0;
    mprotect(pages + page, page, protection);
}

static const size_t sizes[] = {17, 24, 32, 43, 48, 64};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void somebody_writes(void)
{
    memcpy(object, value, size);
    stripe->sequence += 2;
}

/*
 * AOBJ3: half of the copy is old, and the other half would be new; at both ends nobody is writing.
 */
static void a_write_in_the_middle_of_a_load(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        prepare(sizes[i], PROT_NONE);
        meanwhile = somebody_writes;
        fw_object_load_(object, out, size, __ATOMIC_ACQUIRE);
        assert_int_equal(faults, 1);
        assert_int_equal(fake.pauses, 1);
        assert_memory_equal(out, value, size);
    }
}

/* The same for the comparison that fails without the lock: its answer is one value, whole. */
static void a_write_in_the_middle_of_a_comparison(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        prepare(sizes[i], PROT_NONE);
        meanwhile = somebody_writes;
        memcpy(out, old, size);
        assert_false(fw_object_compare_exchange_(object, out, old, size, __ATOMIC_SEQ_CST,
                                                 __ATOMIC_SEQ_CST));
        assert_int_equal(faults, 1);
        assert_memory_equal(out, value, size);
        assert_memory_equal(object, value, size);
        assert_int_equal(stripe->sequence, 2);
    }
}

static void somebody_registers(void)
{
    assert_int_equal(stripe->lock.word, FW_WORD_LOCK_HELD_);
    assert_int_equal(stripe->sequence & 1, 1); /* AOBJ1 */
    stripe->lock.word++;
}

/* Who has registered in the middle of a write is woken at its end. */
static void somebody_waits_for_a_write(void **state)
{
    (void)state;
    meanwhile = somebody_registers;
    for (int i = 0; i < SIZES; i++) {
        prepare(sizes[i], PROT_READ);
        fw_object_store_(object, value, size, __ATOMIC_RELEASE);
        assert_int_equal(faults, 1);
        assert_true(fake.wakes > 0);
        assert_memory_equal(object, value, size);

        prepare(sizes[i], PROT_READ);
        fw_object_exchange_(object, value, out, size, __ATOMIC_SEQ_CST);
        assert_int_equal(faults, 1);
        assert_true(fake.wakes > 0);
        assert_memory_equal(object, value, size);
        assert_memory_equal(out, old, size);

        prepare(sizes[i], PROT_READ);
        assert_true(fw_object_compare_exchange_(object, old, value, size, __ATOMIC_SEQ_CST,
                                                __ATOMIC_RELAXED));
        assert_int_equal(faults, 1);
        assert_true(fake.wakes > 0);
        assert_memory_equal(object, value, size);
        assert_int_equal(stripe->sequence, 2);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_in_the_middle_of_a_load),
        cmocka_unit_test(a_write_in_the_middle_of_a_comparison),
        cmocka_unit_test(somebody_waits_for_a_write),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
