/* SPDX-License-Identifier: MIT */
/*
 * A waiter that was about to fall asleep on its own word fell asleep after it had been moved to the
 * mutex, and before it was told: nobody woke it there.
 *
 * The second of two waiters is held back before its futex call, until the requeue that is to move
 * it has been made.  (Linked with --wrap=fw_wait_sleep_cancellable_ and --wrap=fw_futex_requeue.)
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

#include "core/wait.h"

static fw_mutex m;
static fw_cond c;
static bool is_first_about_to_sleep, is_second_about_to_sleep, was_moved;
static unsigned units;
static __thread bool is_second, was_held_back;

static bool get(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void a_moment(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

int __real_fw_wait_sleep_cancellable_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected,
                                      uint32_t bits, void (*on_cancel)(void *));
int __wrap_fw_wait_sleep_cancellable_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected,
                                      uint32_t bits, void (*on_cancel)(void *));
int __wrap_fw_wait_sleep_cancellable_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected,
                                      uint32_t bits, void (*on_cancel)(void *))
{
    if (!is_second)
        set(&is_first_about_to_sleep);
    if (is_second && !was_held_back) {
        was_held_back = true;
        set(&is_second_about_to_sleep);
        while (!get(&was_moved))
            a_moment();
    }
    return __real_fw_wait_sleep_cancellable_(w, word, expected, bits, on_cancel);
}

int __real_fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to,
                            unsigned n_move, unsigned flags);
int __wrap_fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to,
                            unsigned n_move, unsigned flags);
int __wrap_fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to,
                            unsigned n_move, unsigned flags)
{
    int moved = __real_fw_futex_requeue(from, n_wake, to, n_move, flags);

    set(&was_moved);
    for (int i = 0; i < 10; i++) /* the second one goes on to its futex call */
        a_moment();
    return moved;
}

static void *waiter(void *second)
{
    is_second = second != NULL;
    fw_mutex_lock(&m);
    while (units == 0)
        fw_cond_wait(&c, &m);
    units--;
    fw_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    alarm(100);          /* where it hangs */
    c = (fw_cond){0, 2}; /* COND_SIGNALS: waiters sleep on futexes of their own */
    pthread_create(&first, NULL, waiter, NULL);
    while (!get(&is_first_about_to_sleep)) /* one that still polls is not woken by the release */
        a_moment();
    pthread_create(&second, NULL, waiter, &units);
    while (!get(&is_second_about_to_sleep))
        a_moment();
    fw_mutex_lock(&m);
    units = 2;
    fw_cond_signal(&c);
    fw_cond_signal(&c);
    fw_mutex_unlock(&m);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts("both came out");
    return EXIT_SUCCESS;
}
