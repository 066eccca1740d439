/* SPDX-License-Identifier: MIT */
/*
 * A waiter was signalled under the mutex and was to be woken by the release; until then it lay on
 * the variable's word, out of line, and took the wake of the next waiter, who slept forever.
 *
 * The signaller is held back between its release and the wake that it has put off; meanwhile a
 * second thread waits and is signalled.  (Linked with --wrap=fw_wake_now_.)
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <furwock/cond.h>

static fw_mutex m;
static fw_cond c;
static bool may_go[2], waits[2], is_out[2];
static __thread bool is_signaller;
static bool has_released, may_wake;

static bool get(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag, bool value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static void a_moment(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

static void await(const bool *flag)
{
    while (!get(flag))
        a_moment();
}

void __real_fw_wake_now_(const void *lock);
void __wrap_fw_wake_now_(const void *lock);
void __wrap_fw_wake_now_(const void *lock)
{
    if (is_signaller && lock == &m) {
        set(&has_released, true);
        await(&may_wake);
    }
    __real_fw_wake_now_(lock);
}

static void *waiter(void *number)
{
    size_t i = (size_t)number;

    fw_mutex_lock(&m);
    set(&waits[i], true);
    while (!may_go[i])
        fw_cond_wait(&c, &m);
    fw_mutex_unlock(&m);
    set(&is_out[i], true);
    return NULL;
}

static void *signaller(void *arg)
{
    is_signaller = true;
    fw_mutex_lock(&m);
    may_go[0] = true;
    fw_cond_signal(&c);
    fw_mutex_unlock(&m);
    set(&has_released, true); /* where no wake was put off */
    return arg;
}

/* One round; `mode` is what the variable remembers of earlier wakes. */
static void round_with(uint32_t mode)
{
    pthread_t first, second, third;

    c = (fw_cond){0, mode};
    for (int i = 0; i < 2; i++)
        may_go[i] = waits[i] = is_out[i] = false;
    has_released = may_wake = false;
    pthread_create(&first, NULL, waiter, (void *)0);
    await(&waits[0]);
    a_moment();
    pthread_create(&second, NULL, signaller, NULL);
    await(&has_released);
    pthread_create(&third, NULL, waiter, (void *)1);
    await(&waits[1]);
    a_moment();
    fw_mutex_lock(&m);
    may_go[1] = true;
    fw_mutex_unlock(&m);
    fw_cond_signal(&c);
    await(&is_out[1]);
    set(&may_wake, true);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
}

int main(void)
{
    alarm(100); /* where it hangs */
    round_with(0);
    round_with(2); /* COND_SIGNALS */
    puts("both came out");
    return EXIT_SUCCESS;
}
