/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

#include "test/support/sleeper.h"
#include "test/support/unit.h"

/* wait-any with the real kernel: futex_waitv, or what stands in for it. */

static fw_sem items;
static fw_event stop;

struct chooser {
    pthread_t thread;
    pid_t tid;
    bool done;
    unsigned which;
    int result;
};

static void *choose(void *arg)
{
    static const fw_any either[] = {{FW_ANY_EVENT, &stop}, {FW_ANY_SEM, &items}};
    struct chooser *me = arg;

    __atomic_store_n(&me->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    me->result = fw_wait_any(either, 2, NULL, &me->which);
    __atomic_store_n(&me->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static int reset(void)
{
    fw_sem_init(&items, 0, FW_SEM_MAX);
    return fw_event_init(&stop, FW_EVENT_MANUAL, false);
}

static void start(struct chooser *c)
{
    *c = (struct chooser){.which = 99};
    assert_int_equal(pthread_create(&c->thread, NULL, choose, c), 0);
    await_asleep(getpid(), &c->tid, &c->done);
}

TEST(either_object_wakes_a_sleeper)
{
    struct chooser c;

    start(&c);
    assert_false(__atomic_load_n(&c.done, __ATOMIC_ACQUIRE));
    assert_int_equal(fw_sem_post(&items), 0);
    pthread_join(c.thread, NULL);
    assert_int_equal(c.result, 0);
    assert_int_equal(c.which, 1);
    start(&c);
    fw_event_set(&stop);
    pthread_join(c.thread, NULL);
    assert_int_equal(c.which, 0);
    assert_int_equal(fw_sem_value(&items), 0);
}

TEST(post_n_wakes_choosers_and_waiters)
{
    enum { CHOOSERS = 5 };
    struct chooser c[CHOOSERS];

    for (int i = 0; i < CHOOSERS; i++)
        start(&c[i]);
    assert_int_equal(fw_sem_post_n(&items, CHOOSERS + 2), 0);
    for (int i = 0; i < CHOOSERS; i++) {
        pthread_join(c[i].thread, NULL);
        assert_int_equal(c[i].which, 1);
    }
    assert_int_equal(fw_sem_value(&items), 2);
}

UNIT_MAIN(reset, NULL)
