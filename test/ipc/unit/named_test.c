/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/named.h>

#include "ipc/region/layout.h"
#include "region_fixture.h"
#include "unit.h"

/* src/ipc/region/named.c and src/ipc/numbered.c: named objects of a region. */

enum { MAKE = FW_REGION_CREATE, ALONE = FW_REGION_CREATE | FW_REGION_EXCLUSIVE };

static int data(const char *name, size_t size, unsigned flags, void *object)
{
    return fw_region_object(region, name, FW_REGION_DATA, size, flags, object);
}

TEST(made_once_and_found)
{
    char *a, *b, *again;

    assert_int_equal(data("a", 100, 0, &a), ENOENT);
    assert_int_equal(data("a", 100, MAKE, &a), 0);
    assert_int_equal(data("b", 1, ALONE, &b), 0);
    assert_int_equal(data("a", 100, MAKE, &again), 0);
    assert_ptr_equal(again, a);
    assert_int_equal(data("a", 0, 0, &again), 0);
    assert_ptr_equal(again, a);
    assert_int_equal(data("a", 100, ALONE, &again), EEXIST);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_true(b >= a + 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(a[i], 0);
}

TEST(of_another_kind_or_size)
{
    fw_ipc_mutex *m;
    void *object;

    assert_int_equal(fw_region_mutex(region, "m", 0, &m), ENOENT);
    assert_int_equal(fw_region_mutex(region, "m", MAKE, &m), 0);
    assert_int_equal(fw_ipc_mutex_trylock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(data("m", 8, MAKE, &object), EPROTO);
    assert_int_equal(fw_region_object(region, "m", FW_REGION_MUTEX, 4096, MAKE, &object), EPROTO);
}

TEST(requests_that_make_no_sense)
{
    char name[] = "0123456789012345678901234567890123456789";
    void *object;

    assert_int_equal(data(NULL, 8, MAKE, &object), EINVAL);
    assert_int_equal(data("", 8, MAKE, &object), EINVAL);
    assert_int_equal(data(name, 8, MAKE, &object), EINVAL);
    assert_int_equal(data(name + 1, 8, MAKE, &object), 0);
    assert_int_equal(data("x", 0, MAKE, &object), EINVAL);
    assert_int_equal(data("x", 8, FW_REGION_EXCLUSIVE, &object), EINVAL);
    assert_int_equal(data("x", 8, 1, &object), EINVAL);
    assert_int_equal(data("x", 8, MAKE, NULL), EINVAL);
    assert_int_equal(data("x", FW_REGION_MIN_SIZE, MAKE, &object), ENOSPC);
    assert_int_equal(fw_region_object(region, "x", (fw_region_kind)0, 8, MAKE, &object), EINVAL);
    assert_int_equal(fw_region_object(region, "x", (fw_region_kind)10, 8, MAKE, &object), EINVAL);
    assert_int_equal(fw_region_object(NULL, "x", FW_REGION_DATA, 8, MAKE, &object), EINVAL);
}

static int fill(void *object, void *arg)
{
    memset(object, 'i', 200);
    return *(int *)arg;
}

static int make_another(void *object, void *arg)
{
    (void)object;
    (void)arg;
    return data("another", 8, MAKE, &object);
}

static int init(const char *name, int (*f)(void *, void *), int *arg, void *object)
{
    return fw_region_object_init(region, name, FW_REGION_DATA, 200, MAKE, f, arg, object);
}

TEST(made_ready_before_it_is_found)
{
    int good = 0, bad = EDOM;
    char *object;

    assert_int_equal(init("ready", fill, &bad, &object), EDOM);
    assert_int_equal(data("ready", 200, 0, &object), ENOENT);
    assert_int_equal(data("zeroes", 200, MAKE, &object), 0); /* at the same address */
    for (int i = 0; i < 200; i++)
        assert_int_equal(object[i], 0);
    assert_int_equal(init("ready", fill, &good, &object), 0);
    assert_int_equal(object[199], 'i');
    object[199] = 'c';
    assert_int_equal(init("ready", fill, &good, &object), 0); /* not again */
    assert_int_equal(object[199], 'c');
    assert_int_equal(init("nested", make_another, &good, &object), EDEADLK);
}

TEST(a_lock_that_was_written_over)
{
    struct fw_ipc_head_ *head = fw_region_base(region);
    void *object;

    assert_int_equal(data("before", 8, MAKE, &object), 0);
    memset(&head->naming, 0xa5, sizeof head->naming);
    assert_int_equal(data("before", 8, MAKE, &object), 0);
    assert_int_equal(data("new", 8, MAKE, &object), EUCLEAN);
    memset(&head->naming, 0, sizeof head->naming);
    assert_int_equal(data("new", 8, MAKE, &object), 0);
}

/* --- Objects with a number: EPROTO if it is another than was asked for ------------------------ */

#define FAIL FW_IPC_BARRIER_FAIL
#define GO_ON FW_IPC_BARRIER_GO_ON

TEST(semaphores)
{
    fw_ipc_sem *s, *again;
    void *zeroes;

    assert_int_equal(fw_region_sem(region, "s", 2, 10, 0, &s), ENOENT);
    assert_null(s);
    assert_int_equal(fw_region_sem(region, "s", 2, 0, MAKE, &s), EINVAL);
    assert_int_equal(fw_region_sem(region, "s", 2, 10, MAKE, &s), 0);
    assert_int_equal(fw_region_sem(region, "s", 2, 11, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_sem(region, "s", 2, 9, 0, &again), EPROTO);
    assert_int_equal(fw_region_sem(region, "s", 5, 10, MAKE, &again), 0); /* units come and go */
    assert_ptr_equal(again, s);
    assert_int_equal(fw_ipc_sem_value(s), 2);
    assert_int_equal(fw_region_sem(region, "s", 0, 0, 0, &again), 0);
    assert_int_equal(fw_region_sem(region, "s", 0, 0, MAKE, &again), 0);
    assert_int_equal(fw_region_object(region, "z", FW_REGION_SEM, sizeof *s, MAKE, &zeroes), 0);
    assert_int_equal(fw_region_sem(region, "z", 0, FW_IPC_SEM_MAX, 0, &again), 0);
    assert_int_equal(fw_region_sem(region, "z", 0, 1, 0, &again), EPROTO);
}

TEST(units)
{
    fw_ipc_permits *u, *again;

    assert_int_equal(fw_region_permits(region, "u", 0, MAKE, &u), EINVAL);
    assert_int_equal(fw_region_permits(region, "u", 4, MAKE, &u), 0);
    assert_int_equal(fw_region_permits(region, "u", 5, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_permits(region, "u", 3, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_permits(region, "u", 4, 0, &again), 0);
    assert_int_equal(fw_region_permits(region, "u", 0, 0, &again), 0);
    assert_ptr_equal(again, u);
}

TEST(barriers)
{
    fw_ipc_barrier *b, *again;

    assert_int_equal(fw_region_barrier(region, "b", 0, FAIL, MAKE, &b), EINVAL);
    assert_int_equal(fw_region_barrier(region, "b", 5, FAIL, MAKE, &b), 0);
    assert_int_equal(fw_region_barrier(region, "b", 3, FAIL, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_barrier(region, "b", 6, FAIL, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_barrier(region, "b", 5, GO_ON, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_barrier(region, "b", 5, FAIL, 0, &again), 0);
    assert_int_equal(fw_region_barrier(region, "b", 0, GO_ON, 0, &again), 0);
    assert_ptr_equal(again, b);
}

TEST(journals)
{
    fw_ipc_journal *j, *again;

    assert_int_equal(fw_region_journal(region, "j", 0, MAKE, &j), EINVAL);
    assert_int_equal(fw_region_journal(region, "j", SIZE_MAX, MAKE, &j), EINVAL);
    assert_int_equal(fw_region_journal(region, "j", 250, MAKE, &j), 0);
    assert_int_equal(fw_region_journal(region, "j", 256, 0, &again), 0); /* rounded up */
    assert_int_equal(fw_region_journal(region, "j", 257, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_journal(region, "j", 128, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_journal(region, "j", 0, 0, &again), 0);
    assert_ptr_equal(again, j);
}

TEST(of_another_kind)
{
    fw_ipc_journal *j;
    fw_ipc_barrier *b;
    fw_ipc_permits *u;
    fw_ipc_sem *s;

    assert_int_equal(fw_region_sem(region, "x", 0, 1, MAKE, &s), 0);
    assert_int_equal(fw_region_permits(region, "x", 0, 0, &u), EPROTO);
    assert_int_equal(fw_region_barrier(region, "x", 0, FAIL, 0, &b), EPROTO);
    assert_int_equal(fw_region_journal(region, "x", 0, 0, &j), EPROTO);
    assert_int_equal(fw_region_permits(region, "y", 1, MAKE, &u), 0);
    assert_int_equal(fw_region_sem(region, "y", 0, 0, 0, &s), EPROTO);
}

UNIT_MAIN(set_up, tear_down)
