/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "fixture.h"
#include "sys/robust.h"
#include "unit.h"

/*
 * src/ipc/region/participant_list.c: a slot leaves its thread's robust list only if none was
 * skipped.
 */

static struct fw_ipc_me_ me;
static pthread_mutex_t mutex;

static int make(void)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &how);
    fixture = fixture_make(4);
    return pthread_mutex_lock(&mutex) != 0 || fw_ipc_enter_(fixture_object(&fixture, 0), &me) != 0;
}

static uintptr_t *entry(void)
{
    if (fw_robust_thread_.head->offset == 0)
        skip(); /* there are no robust lists here */
    return (uintptr_t *)(void *)((char *)me.participant +
                                 offsetof(struct fw_ipc_participant_, life) -
                                 fw_robust_thread_.head->offset);
}

TEST(leaves_beside_a_mutex)
{
    assert_int_equal(fw_robust_thread_.head->first, (uintptr_t)entry());
    assert_true(fw_ipc_list_leave_(me.participant));
    assert_int_not_equal(fw_robust_thread_.head->first, (uintptr_t)fw_robust_thread_.head);
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    assert_int_equal(fw_robust_thread_.head->first, (uintptr_t)fw_robust_thread_.head);
}

TEST(leaves_after_a_mutex)
{
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    assert_int_equal(*entry(), (uintptr_t)fw_robust_thread_.head);
    assert_true(fw_ipc_list_leave_(me.participant));
}

TEST(stays_where_a_mutex_was_skipped)
{
    uintptr_t next = *entry();

    *entry() = (uintptr_t)fw_robust_thread_.head;
    assert_false(fw_ipc_list_leave_(me.participant));
    *entry() = next;
    assert_true(fw_ipc_list_leave_(me.participant));
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
}

UNIT_MAIN(make, fixture_end)
