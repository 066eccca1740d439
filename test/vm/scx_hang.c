/* SPDX-License-Identifier: MIT */
#include "scx_hang.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "scx.h"

/*
 * The interrupt looks three times whether more is due by now; a batch takes longer than it is to
 * the next one.
 */
enum { BATCHES = 5, TIMERS = 500, APART_NS = 120000, AHEAD_NS = 60000000, REST_US = 80000 };

static void set_all(const int *timers)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int b = 0; b < BATCHES; b++) {
        uint64_t ns = (uint64_t)now.tv_nsec + AHEAD_NS + (uint64_t)b * APART_NS;
        struct itimerspec at = {.it_value = {.tv_sec = now.tv_sec + (time_t)(ns / 1000000000u),
                                             .tv_nsec = (long)(ns % 1000000000u)}};
        for (int i = 0; i < TIMERS; i++)
            timerfd_settime(timers[b * TIMERS + i], TFD_TIMER_ABSTIME, &at, NULL);
    }
}

void scx_hang_timers(unsigned cpu)
{
    static const struct rlimit files = {BATCHES * TIMERS + 100, BATCHES * TIMERS + 100};
    static int timers[BATCHES * TIMERS];
    pid_t child;

    fflush(NULL);
    child = fork();
    scx_check(child >= 0, "no process: %s", strerror(errno));
    if (child != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    scx_pin(0, cpu);
    scx_check(setrlimit(RLIMIT_NOFILE, &files) == 0, "no files: %s", strerror(errno));
    for (int i = 0; i < BATCHES * TIMERS; i++) {
        timers[i] = timerfd_create(CLOCK_MONOTONIC, 0);
        scx_check(timers[i] >= 0, "no timer: %s", strerror(errno));
    }
    for (;;) {
        set_all(timers);
        usleep(REST_US);
    }
}

struct scx_hangs scx_hangs(unsigned cpu)
{
    struct scx_hangs found = {0, 0};
    char line[256];
    FILE *list = fopen("/proc/timer_list", "re");
    unsigned at = UINT32_MAX;

    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
        sscanf(line, "cpu: %u", &at);
        if (at != cpu)
            continue;
        sscanf(line, " .nr_hangs : %lu", &found.number);
        sscanf(line, " .max_hang_time : %lu", &found.longest);
    }
    if (list != NULL)
        fclose(list);
    return found;
}
