/* SPDX-License-Identifier: MIT */
#include "test/support/sleeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *sleeper_body(void *arg)
{
    struct sleeper *s = arg;

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->result = fw_futex_wait_bitset(s->word, s->expected, s->bits, s->flags, s->deadline);
    __atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
    return NULL;
}

/* The state letter that the kernel shows for a thread; 0 where it is gone. */
static char thread_state(pid_t pid, pid_t tid)
{
    char path[64], line[256];
    const char *state = NULL;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    f = fopen(path, "r");
    if (!f)
        return 0;
    if (fgets(line, sizeof line, f))
        state = strrchr(line, ')');
    fclose(f);
    return state && state[1] ? state[2] : 0;
}

void await_asleep(pid_t pid, const pid_t *tid, const bool *done)
{
    for (;;) {
        pid_t t = __atomic_load_n(tid, __ATOMIC_ACQUIRE);

        if (__atomic_load_n(done, __ATOMIC_ACQUIRE))
            return;
        if (t != 0 && thread_state(pid, t) == 'S')
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

fw_deadline deadline_in(clockid_t clock, int64_t ns)
{
    fw_deadline d = {.clock = clock};
    int64_t at;

    clock_gettime(clock, &d.at);
    at = (int64_t)d.at.tv_sec * 1000000000 + d.at.tv_nsec + ns;
    d.at.tv_sec = (time_t)(at / 1000000000);
    d.at.tv_nsec = (long)(at % 1000000000);
    return d;
}

int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
