/* SPDX-License-Identifier: MIT */
/*
 * What the scheduler gives away above all priorities (rt/scx/page.h): a slice to threads that are
 * no tasks, once tasks have had their CPU for a second, and not because the last decision was long
 * ago; a turn to a task that has waited for a lock for long.  Both are counted, and noted.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "scx.h"

enum { CPU = 1, IDLE_S = 3 };

static sem_t go[2], ready;
static atomic_bool is_over;
static struct timespec both; /* when they are woken */
static uint64_t before;      /* slices, until then */
static uint32_t slot_of_waiter;

static const volatile struct fw_rt_scx_note *find(enum fw_rt_scx_cause cause)
{
    const volatile struct fw_rt_scx_state *w = scx_state();

    for (unsigned i = 0; i < FW_RT_SCX_NOTES; i++)
        if (w->note[i].number != 0 && w->note[i].cause == cause && w->note[i].cpu == CPU)
            return &w->note[i];
    return NULL;
}

static pthread_t begin(void *(*run)(void *))
{
    pthread_t thread = scx_thread(run, 0);

    sem_wait(&ready);
    return thread;
}

/* ---- Threads that are no tasks ---- */

/* By one interrupt of their CPU, whose last decision is long ago: the next one finds them both. */
static void wake_up(void)
{
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &both, NULL) != 0)
        continue;
}

static void *other(void *unused)
{
    scx_pin(0, CPU);
    sem_post(&ready);
    wake_up();
    while (!is_over)
        continue;
    return unused;
}

static void *busy(void *unused)
{
    struct scx_task t;

    scx_join(&t, 1, "busy", CPU, 10);
    sem_post(&ready);
    wake_up();
    for (int i = 0; i < 5; i++) { /* a decision after each */
        scx_burn_ms(5);
        sched_yield();
    }
    scx_check(scx_state()->counts.relief == before, "let in, and had not waited for long");
    while (scx_state()->counts.relief == before)
        scx_burn_ms(5);
    SCX_UNTIL(find(FW_RT_SCX_STARVED) != NULL && find(FW_RT_SCX_STARVED)->to != 0);
    is_over = true;
    scx_leave(&t);
    return unused;
}

static void test_starved(void)
{
    const volatile struct fw_rt_scx_note *n;
    pthread_t task, thread;

    clock_gettime(CLOCK_MONOTONIC, &both);
    both.tv_sec += IDLE_S;
    before = scx_state()->counts.relief;
    task = begin(busy);
    thread = begin(other);
    pthread_join(task, NULL);
    pthread_join(thread, NULL);
    n = find(FW_RT_SCX_STARVED);
    scx_check(n->slot == FW_RT_NONE && n->to > n->from, "the note of a slice");
    printf("a starved thread had a slice of %u us\n", (unsigned)((n->to - n->from) / 1000));
}

/* ---- Tasks that wait ---- */

static void *owner(void *unused)
{
    struct scx_task t;
    unsigned a;

    scx_join(&t, 1, "owner", CPU, 10);
    scx_check(scx_open(&t, "a", FW_RT_KIND_PCP, 0, &a) == 0, "open");
    sem_post(&ready);
    sem_wait(&go[0]);
    scx_check(scx_lock(&t, FW_RT_KIND_PCP, a) == 0, "lock");
    sem_post(&go[1]);
    SCX_UNTIL(scx_state()->state.task[slot_of_waiter].request != 0);
    SCX_UNTIL(find(FW_RT_SCX_TURN) != NULL && find(FW_RT_SCX_TURN)->to != 0);
    scx_unlock(&t, FW_RT_KIND_PCP, a);
    scx_leave(&t);
    return unused;
}

static void *waiter(void *unused)
{
    struct scx_task t;
    unsigned a;

    scx_join(&t, 1, "waiter", CPU, 20);
    scx_check(scx_open(&t, "a", FW_RT_KIND_PCP, 0, &a) == 0, "open");
    slot_of_waiter = t.slot;
    sem_post(&ready);
    sem_wait(&go[1]);
    scx_check(scx_lock(&t, FW_RT_KIND_PCP, a) == 0, "lock");
    scx_unlock(&t, FW_RT_KIND_PCP, a);
    scx_leave(&t);
    return unused;
}

static void test_turn(void)
{
    pthread_t first = begin(owner), second = begin(waiter);
    const volatile struct fw_rt_scx_note *n;

    sem_post(&go[0]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    n = find(FW_RT_SCX_TURN);
    scx_check(n->slot == slot_of_waiter && scx_state()->counts.turns != 0, "the note of a turn");
    printf("a task that waits had a turn of %u us\n", (unsigned)((n->to - n->from) / 1000));
}

int main(void)
{
    scx_need_vm();
    scx_pin(0, 0);
    scx_start();
    sem_init(&go[0], 0, 0);
    sem_init(&go[1], 0, 0);
    sem_init(&ready, 0, 0);
    test_starved();
    test_turn();
    printf("since the start: %llu turns, %llu slices and moments, %llu late decisions, %llu not "
           "queued\n",
           (unsigned long long)scx_state()->counts.turns,
           (unsigned long long)scx_state()->counts.relief,
           (unsigned long long)scx_state()->counts.late,
           (unsigned long long)scx_state()->counts.not_queued);
    scx_stop();
    return 0;
}
