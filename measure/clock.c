/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <errno.h>

enum { NS_PER_S = 1000000000 };

static uint64_t read_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return clock_ns_of(&t);
}

uint64_t clock_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

struct timespec clock_in_ns(int64_t ns)
{
    int64_t at = (int64_t)clock_ns() + ns;

    if (at < 0)
        at = 0;
    return (struct timespec){.tv_sec = at / NS_PER_S, .tv_nsec = at % NS_PER_S};
}

struct timespec clock_realtime_of(const struct timespec *monotonic)
{
    struct timespec now = clock_in_ns(0), end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += monotonic->tv_sec - now.tv_sec;
    end.tv_nsec += monotonic->tv_nsec - now.tv_nsec;
    if (end.tv_nsec < 0) {
        end.tv_nsec += NS_PER_S;
        end.tv_sec--;
    } else if (end.tv_nsec >= NS_PER_S) {
        end.tv_nsec -= NS_PER_S;
        end.tv_sec++;
    }
    return end;
}

void clock_sleep_until(uint64_t at_ns)
{
    struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S),
                          .tv_nsec = (long)(at_ns % NS_PER_S)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

void clock_sleep_ns(uint64_t ns)
{
    clock_sleep_until(clock_ns() + ns);
}
