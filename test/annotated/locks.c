/* SPDX-License-Identifier: MIT */
/*
 * A user's program, built for a race detector against the library as it is installed: each kind of
 * lock, with data that only it protects.  Nothing here is a race, unless asked for:
 *
 *     RACE     one access is outside of its lock
 *     INVERT   two mutexes are taken in both orders
 */
#include <furwock.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, TIMES = 300 };

static fw_deadline in_a_minute(void)
{
    fw_deadline d = {.clock = CLOCK_MONOTONIC};

    clock_gettime(d.clock, &d.at);
    d.at.tv_sec += 60;
    return d;
}

/* --- Mutex and condition variable: a buffer of one */
static fw_mutex mutex = FW_MUTEX_INIT, other = FW_MUTEX_INIT;
static fw_cond changed = FW_COND_INIT;
static long full, moved;

static void put(void)
{
    fw_mutex_lock(&mutex);
    while (full)
        fw_cond_wait(&changed, &mutex);
    full = 1;
    fw_cond_broadcast(&changed);
    fw_mutex_unlock(&mutex);
}

static void get(void)
{
    fw_deadline d = in_a_minute();

    if (fw_mutex_timedlock(&mutex, &d) != 0)
        abort();
    while (!full)
        if (fw_cond_timedwait(&changed, &mutex, &d) != 0)
            abort();
    full = 0;
    moved++;
    fw_cond_broadcast(&changed);
    fw_mutex_unlock_fair(&mutex);
}

static void *putter(void *arg)
{
    for (int i = 0; i < TIMES; i++)
        put();
    return arg;
}

static void *getter(void *arg)
{
    for (int i = 0; i < TIMES; i++)
        get();
    return arg;
}

/* --- Conditional critical sections: tokens */
static fw_mutex guard = FW_MUTEX_INIT;
static long tokens, spent;

static bool is_positive(void *n)
{
    return *(long *)n > 0;
}

static void *spender(void *arg)
{
    fw_deadline d = in_a_minute();

    for (int i = 0; i < TIMES; i++) {
        fw_mutex_lock(&guard);
        if (i % 2 == 0)
            fw_mutex_await(&guard, is_positive, &tokens);
        else if (fw_mutex_timedawait(&guard, is_positive, &tokens, &d) != 0)
            abort();
        tokens--;
        spent++;
        fw_mutex_unlock(&guard);
    }
    return arg;
}

static void *minter(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        fw_mutex_lock(&guard);
        tokens++;
        fw_mutex_unlock(&guard);
    }
    return arg;
}

/* --- Locks that are held around a counter */
static fw_rwlock rwlock = FW_RWLOCK_INIT;
static fw_brlock brlock;
static long tried, written, upgraded, copied;

static void look_at(long value)
{
    if (value < 0)
        abort();
}

static void *locker(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        if (fw_mutex_trylock(&other) == 0) {
            tried++;
            fw_mutex_unlock(&other);
        }
        fw_rwlock_wrlock(&rwlock);
        written++;
        fw_rwlock_downgrade(&rwlock);
        look_at(written);
        fw_rwlock_rdunlock(&rwlock);
        fw_rwlock_upgradable_lock(&rwlock);
        look_at(written);
        fw_rwlock_upgrade(&rwlock);
        upgraded++;
        fw_rwlock_unlock(&rwlock);
        fw_rwlock_rdlock(&rwlock);
        look_at(written + upgraded);
        fw_rwlock_unlock(&rwlock);
        fw_brlock_wrlock(&brlock);
        copied++;
        fw_brlock_wrunlock(&brlock);
        fw_brlock_rdlock(&brlock);
        look_at(copied);
        fw_brlock_rdunlock(&brlock);
#ifdef RACE
        copied++;
#endif
    }
    return arg;
}

/* --- What lets through: data that are handed from one to the other */
static fw_sem sem = FW_SEM_INIT(0);
static fw_event event = FW_EVENT_INIT, last = FW_EVENT_INIT;
static fw_latch latch = FW_LATCH_INIT(1);
static fw_once once = FW_ONCE_INIT;
static long posted, set, counted, made, any;

static int make(void *arg)
{
    made = 1;
    return arg == NULL;
}

static void *giver(void *arg)
{
    posted = 1;
    fw_sem_post(&sem);
    set = 1;
    fw_event_set(&event);
    counted = 1;
    fw_latch_count_down(&latch, 1);
    any = 1;
    fw_event_set(&last);
    if (fw_once_call(&once, make, &once) == 0 && made != 1)
        abort();
    return arg;
}

static void *taker(void *arg)
{
    const fw_any either[] = {{FW_ANY_EVENT, &last}};

    fw_sem_wait(&sem);
    posted++;
    fw_event_wait(&event);
    set++;
    fw_latch_wait(&latch);
    counted++;
    fw_wait_any(either, 1, NULL, NULL);
    any++;
    if (fw_once_call(&once, make, &once) == 0 && made != 1)
        abort();
    return arg;
}

/* --- Barrier: each reads what the others have written in the round before */
static fw_barrier barrier = FW_BARRIER_INIT(THREADS);
static long cell[THREADS];

static void *party(void *arg)
{
    long *mine = arg;

    for (int i = 0; i < 30; i++) {
        long sum = 0;
        ++*mine;
        fw_barrier_wait(&barrier);
        for (int k = 0; k < THREADS; k++)
            sum += cell[k];
        if (sum != (i + 1L) * THREADS)
            abort();
        fw_barrier_wait(&barrier);
    }
    return arg;
}

static void *inverter(void *arg)
{
    fw_mutex *first = arg, *second = first == &mutex ? &other : &mutex;

    fw_mutex_lock(first);
    fw_mutex_lock(second);
    fw_mutex_unlock(second);
    fw_mutex_unlock(first);
    return arg;
}

static void run(unsigned n, void *(*const bodies[])(void *), void *const args[])
{
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, bodies[i], args[i]) != 0)
            abort();
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    if (fw_brlock_init(&brlock) != 0)
        return EXIT_FAILURE;
    run(2, (void *(*const[])(void *)){putter, getter}, (void *const[]){NULL, NULL});
    run(3, (void *(*const[])(void *)){minter, spender, minter}, (void *const[]){NULL, NULL, NULL});
    run(3, (void *(*const[])(void *)){locker, locker, locker}, (void *const[]){NULL, NULL, NULL});
    run(2, (void *(*const[])(void *)){giver, taker}, (void *const[]){NULL, NULL});
    run(3, (void *(*const[])(void *)){party, party, party},
        (void *const[]){&cell[0], &cell[1], &cell[2]});
#ifdef INVERT
    run(1, (void *(*const[])(void *)){inverter}, (void *const[]){&mutex});
    run(1, (void *(*const[])(void *)){inverter}, (void *const[]){&other});
#else
    (void)inverter;
#endif
    fw_brlock_destroy(&brlock);
    printf("%ld %ld %ld %ld %ld\n", moved, tried, written, upgraded, copied);
    return EXIT_SUCCESS;
}
