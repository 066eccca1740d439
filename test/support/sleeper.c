/* SPDX-License-Identifier: MIT */
#include "test/support/sleeper.h"
#include "test/support/asleep.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *sleeper_body(void *arg)
{
    struct sleeper *s = arg;

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->result = fw_futex_wait_bitset(s->word, s->expected, s->bits, s->flags, s->deadline);
    __atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
    return NULL;
}

void await_asleep(pid_t pid, const pid_t *tid, const bool *done)
{
    for (;;) {
        pid_t t = __atomic_load_n(tid, __ATOMIC_ACQUIRE);

        if (__atomic_load_n(done, __ATOMIC_ACQUIRE))
            return;
        if (t != 0 && thread_is_asleep(pid, t))
            return;
        usleep(200);
    }
}

void sleeper_start(struct sleeper *s)
{
    s->tid = 0;
    s->done = false;
    if (pthread_create(&s->thread, NULL, sleeper_body, s) != 0)
        abort();
    await_asleep(getpid(), &s->tid, &s->done);
}

int sleeper_join(struct sleeper *s)
{
    pthread_join(s->thread, NULL);
    return s->result;
}
