/* SPDX-License-Identifier: MIT */
/* How a condition variable ends, what misuse of it brings, and what it shares with locks. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "contract.h"
#include "measure/death.h"
#include "measure/watchdog.h"

/* --- It may go when all have been woken, though they are still on their way ------------------- */

enum { WAITERS = 6, SCRIBBLE = 0xa5 };

struct party {
    void *object;
    pthread_barrier_t meet;
    unsigned rounds;
    unsigned tasks;
    unsigned waiting;
    unsigned scribbled_over;
    bool by_signals;
    bool outside; /* wake them without the mutex */
};

static unsigned char *cond_bytes(struct party *p)
{
    return (unsigned char *)p->object + cond_subject->cond_at;
}

/* Wakes all, and destroys the variable and what it lies in at once. */
static void wake_and_destroy(struct party *p)
{
    cond_subject->lock(p->object);
    while (p->waiting != p->tasks - 1) {
        cond_subject->unlock(p->object);
        sched_yield();
        cond_subject->lock(p->object);
    }
    if (p->outside)
        cond_subject->unlock(p->object);
    if (p->by_signals)
        for (unsigned i = 1; i < p->tasks; i++)
            cond_subject->signal(p->object);
    else
        cond_subject->broadcast(p->object);
    if (cond_subject->destroy_cond != NULL)
        cond_subject->destroy_cond(p->object);
    memset(cond_bytes(p), SCRIBBLE, cond_subject->cond_size);
    if (!p->outside)
        cond_subject->unlock(p->object);
}

static void wait_or_destroy(unsigned index, void *arg)
{
    struct party *p = arg;

    for (unsigned i = 0; i < p->rounds; i++) {
        if (index == 0) {
            p->object = object_make(false);
            p->waiting = 0;
        }
        pthread_barrier_wait(&p->meet);
        if (index == 0) {
            wake_and_destroy(p);
        } else {
            cond_subject->lock(p->object);
            p->waiting++;
            cond_subject->wait(p->object); /* once: it may have to be the last look */
            cond_subject->unlock(p->object);
        }
        pthread_barrier_wait(&p->meet);
        if (index == 0) {
            for (size_t k = 0; k < cond_subject->cond_size; k++)
                p->scribbled_over += cond_bytes(p)[k] != SCRIBBLE;
            /* The variable was destroyed: it is made anew, so that all of it can be unmade. */
            memset(p->object, 0, cond_subject->size);
            if (subject_head->init(p->object, false) != 0)
                abort();
            object_unmake(p->object);
        }
    }
}

static void check_party(bool by_signals, bool outside)
{
    struct party p = {.rounds = kind_rounds(400),
                      .tasks = kind_tasks(WAITERS),
                      .by_signals = by_signals,
                      .outside = outside};

    meeting_make(&p.meet, p.tasks);
    tasks_run(p.tasks, WORKER_THREADS, "all are woken, and the variable goes", &p, wait_or_destroy,
              &p);
    assert_int_equal(p.scribbled_over, 0);
    pthread_barrier_destroy(&p.meet);
}

TEST(test_the_variable_goes_after_a_broadcast)
{
    check_party(false, false);
    check_party(false, true);
}

TEST(test_the_variable_goes_after_signals)
{
    check_party(true, false);
    check_party(true, true);
}

const struct contract_group group_cond_lifetime = {
    "cond-lifetime", &family_cond, is_freeable,
    TESTS(cmocka_unit_test(test_the_variable_goes_after_a_broadcast),
          cmocka_unit_test(test_the_variable_goes_after_signals)),
    ALSO(&group_lifetime)};

/* --- A waiter that is cancelled --------------------------------------------------------------- */

struct victim {
    void *object;
    int tid, done;
    unsigned cleaned; /* under the mutex, which the clean-up holds */
};

static void clean_up(void *arg)
{
    struct victim *v = arg;

    v->cleaned++;
    cond_subject->unlock(v->object);
    __atomic_store_n(&v->done, 1, __ATOMIC_RELEASE);
}

static void *wait_for_ever(void *arg)
{
    struct victim *v = arg;

    __atomic_store_n(&v->tid, own_tid(), __ATOMIC_RELEASE);
    cond_subject->lock(v->object);
    pthread_cleanup_push(clean_up, v);
    for (;;)
        cond_subject->wait(v->object);
    pthread_cleanup_pop(0);
    return NULL;
}

TEST(test_a_cancelled_waiter_holds_the_mutex)
{
    struct victim v = {.object = object_make(false)};

    watchdog_start(patience, "waiters are cancelled", v.object, subject_head->size, NULL, NULL);
    for (unsigned i = 0; i < kind_rounds(200); i++) {
        pthread_t thread;
        void *result;
        v.tid = v.done = 0;
        assert_int_equal(pthread_create(&thread, NULL, wait_for_ever, &v), 0);
        if (i % 2 == 0)
            await_asleep(&v.tid, &v.done);
        assert_int_equal(pthread_cancel(thread), 0);
        if (i % 4 == 0)
            cond_subject->signal(v.object);
        pthread_join(thread, &result);
        assert_true(result == PTHREAD_CANCELED);
        cond_subject->lock(v.object);
        assert_int_equal(v.cleaned, i + 1);
        cond_subject->unlock(v.object);
    }
    watchdog_stop();
    object_unmake(v.object);
}

static bool is_cancellable(void)
{
    return subject_is(ADAPTER_CANCEL);
}

const struct contract_group group_cond_cancel = {
    "cond-cancel", &family_cond, is_cancellable,
    TESTS(cmocka_unit_test(test_a_cancelled_waiter_holds_the_mutex))};

/* --- Misuse ----------------------------------------------------------------------------------- */

static void wait_without_the_mutex(void *object)
{
    cond_subject->wait(object);
}

TEST(test_waiting_without_the_mutex_dies)
{
    void *object = object_make(false);
    struct death d;

    assert_int_equal(death_run(wait_without_the_mutex, object, patience * 1000 / 3, &d), 0);
    assert_false(d.timed_out);
    assert_int_equal(d.signal, SIGABRT);
    assert_non_null(strstr(d.text, "furwock: "));
    object_unmake(object);
}

const struct contract_group group_cond_misuse = {
    "cond-misuse", &family_cond, knows_owner,
    TESTS(cmocka_unit_test(test_waiting_without_the_mutex_dies))};

/* --- Memory and idleness, as any lock --------------------------------------------------------- */

const struct contract_group group_cond_memory = {"cond-memory", &family_cond, always,
                                                 ALSO(&group_memory)};

const struct contract_group group_cond_idle = {"cond-idle", &family_cond, blocks,
                                               ALSO(&group_idle)};
