/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include <furwock/ipc/named.h>

#include "region_fixture.h"
#include "test/support/child.h"
#include "unit.h"

/* src/ipc/journaled.c: locks that are made together with their journal. */

enum { MAKE = FW_REGION_CREATE, CAPACITY = 100 };

static int open_mutex(const char *name, size_t capacity, unsigned flags, fw_ipc_mutex **m,
                      fw_ipc_journal **j)
{
    return fw_region_mutex_with_journal(region, name, capacity, flags, m, j);
}

TEST(is_made_once_and_found)
{
    fw_ipc_mutex *m, *again;
    fw_ipc_journal *j, *same;

    assert_int_equal(open_mutex("m", CAPACITY, 0, &m, &j), ENOENT);
    assert_null(m);
    assert_null(j);
    assert_int_equal(open_mutex("m", CAPACITY, MAKE, &m, &j), 0);
    assert_int_equal(open_mutex("m", CAPACITY, MAKE, &again, &same), 0);
    assert_ptr_equal(m, again);
    assert_ptr_equal(j, same);
    assert_int_equal(open_mutex("m", 0, 0, &again, &same), 0);
    assert_ptr_equal(j, same);
    assert_int_equal(fw_region_mutex(region, "m", 0, &again), 0);
    assert_ptr_equal(m, again);
    assert_int_equal(open_mutex("m", CAPACITY, MAKE | FW_REGION_EXCLUSIVE, &m, &j), EEXIST);
}

TEST(is_not_found_with_another_capacity)
{
    fw_ipc_mutex *m, *plain;
    fw_ipc_journal *j;
    fw_ipc_rwlock *l;

    assert_int_equal(open_mutex("m", CAPACITY, MAKE, &m, &j), 0);
    assert_int_equal(open_mutex("m", CAPACITY / 2, MAKE, &m, &j), EPROTO);
    assert_null(m);
    assert_null(j);
    assert_int_equal(open_mutex("m", CAPACITY * 2, MAKE, &m, &j), EPROTO);
    assert_int_equal(fw_region_rwlock_with_journal(region, "m", CAPACITY, MAKE, &l, &j), EPROTO);
    assert_int_equal(fw_region_mutex(region, "plain", MAKE, &plain), 0);
    assert_int_equal(open_mutex("plain", CAPACITY, MAKE, &m, &j), EPROTO);
}

TEST(is_not_made_without_capacity)
{
    fw_ipc_mutex *m;
    fw_ipc_journal *j;

    assert_int_equal(open_mutex("m", 0, MAKE, &m, &j), EINVAL);
    assert_int_equal(open_mutex("m", SIZE_MAX, MAKE, &m, &j), EINVAL);
    assert_int_equal(open_mutex("m", FW_REGION_MIN_SIZE, MAKE, &m, &j), ENOSPC);
    assert_int_equal(open_mutex("m", CAPACITY, MAKE, &m, &j), 0);
}

struct change {
    fw_ipc_mutex *m; /* or: */
    fw_ipc_rwlock *l;
    fw_ipc_journal *j;
    uint64_t *data;
};

static void change_and_die(void *arg)
{
    const struct change *c = arg;
    int error = c->m != NULL ? fw_ipc_mutex_lock(c->m) : fw_ipc_rwlock_wrlock(c->l);

    if (error != 0 || fw_ipc_journal_record(c->j, c->data, 8) != 0)
        _exit(1);
    *c->data = 1;
    raise(SIGKILL);
}

/* The very first holder may die: what it had recorded is undone, and nobody has to attach. */
TEST(undoes_for_the_first_holder)
{
    struct change with_m = {NULL}, with_l = {NULL};
    void *object;

    assert_int_equal(fw_region_object(region, "data", FW_REGION_DATA, 8, MAKE, &object), 0);
    with_m.data = with_l.data = object;
    assert_int_equal(open_mutex("m", CAPACITY, MAKE, &with_m.m, &with_m.j), 0);
    assert_int_equal(
        fw_region_rwlock_with_journal(region, "l", CAPACITY, MAKE, &with_l.l, &with_l.j), 0);
    assert_int_equal(wait_for_child(start(change_and_die, &with_m)), -SIGKILL);
    assert_int_equal(fw_ipc_mutex_lock(with_m.m), 0);
    assert_int_equal(*with_m.data, 0);
    assert_int_equal(fw_ipc_mutex_journal(with_m.m, with_m.j), 0); /* it is the one that it has */
    assert_int_equal(fw_ipc_mutex_unlock(with_m.m), 0);
    assert_int_equal(wait_for_child(start(change_and_die, &with_l)), -SIGKILL);
    assert_int_equal(fw_ipc_rwlock_rdlock(with_l.l), 0);
    assert_int_equal(*with_l.data, 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(with_l.l), 0);
}

UNIT_MAIN(set_up, tear_down)
