/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdio.h>
#include <unistd.h>

#include <furwock/cond.h>

/*
 * Waiting threads are cancelled: they hold the mutex in their clean-up, and a signal that was
 * theirs goes to another.
 */

static struct guarded data;
static fw_cond posted;
static uint64_t units, taken, cancelled_waits;
static bool is_closing;

static void clean_up(void *arg)
{
    (void)arg;
    if (fw_mutex_owner(&data.lock) != gettid())
        stress_fail("a clean-up handler runs without the mutex", &data);
    use(&data);
    cancelled_waits++;
    fw_mutex_unlock(&data.lock);
}

static void *take_units(void *arg)
{
    fw_mutex_lock(&data.lock);
    pthread_cleanup_push(clean_up, arg);
    for (;;) {
        while (units == 0 && !is_closing)
            fw_cond_wait(&posted, &data.lock);
        if (units == 0)
            break;
        units--;
        taken++;
    }
    pthread_cleanup_pop(0);
    fw_mutex_unlock(&data.lock);
    return NULL;
}

/*
 * Starts two takers, gives one unit and cancels one of them at once.  The other must take the unit,
 * also if the wake had gone to the one that was cancelled.
 */
static void cancel_one(struct worker *me)
{
    pthread_t first, second;
    uint64_t before;

    if (pthread_create(&first, NULL, take_units, NULL) != 0 ||
        pthread_create(&second, NULL, take_units, NULL) != 0)
        stress_fail("no thread can be started", NULL);
    if (draw(me, 2) != 0)
        sleep_us(draw(me, 200));
    fw_mutex_lock(&data.lock);
    before = taken;
    units++;
    fw_cond_signal(&posted);
    fw_mutex_unlock(&data.lock);
    burn(draw(me, 30000));
    pthread_cancel(draw(me, 2) != 0 ? first : second);
    for (bool done = false; !done; sleep_us(10)) {
        fw_mutex_lock(&data.lock);
        done = taken > before;
        fw_mutex_unlock(&data.lock);
    }
    fw_mutex_lock(&data.lock);
    is_closing = true;
    fw_cond_broadcast(&posted);
    fw_mutex_unlock(&data.lock);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    is_closing = false;
    did_a_turn(me);
}

static void cancelled(struct worker *me)
{
    do
        cancel_one(me);
    while (!stress_is_over());
}

static void say(void)
{
    printf("%llu taken, %llu cancelled\n", (unsigned long long)taken,
           (unsigned long long)cancelled_waits);
}

const struct stress_test cond_cancelled_tests[] = {{"cond_cancelled", "Waiters that are cancelled",
                                                    cancelled, 500, .threads = 1, .most_threads = 1,
                                                    .end = say, .locks = &data, .n_locks = 1},
                                                   {0}};
