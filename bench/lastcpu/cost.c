/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <furwock/bits/self.h>

#include "lastcpu.h"
#include "measure/clock.h"
#include "sys/last_cpu.h"

enum { CALLS = 1000000, THREADS = 2000, SAMPLES = 9 };

static double ask_again(void)
{
    uint64_t began = clock_ns();

    fw_last_cpu_join_();
    for (int i = 0; i < CALLS; i++)
        fw_last_cpu_is_mine_(1);
    return (double)(clock_ns() - began) / CALLS;
}

static double ask_afresh(void)
{
    uint32_t self = fw_self_() >> FW_ID_SHIFT;
    uint64_t began;

    fw_last_cpu_join_();
    began = clock_ns();
    for (int i = 0; i < CALLS; i++)
        fw_last_cpu_is_mine_(self); /* is told yes, and so looks each time */
    return (double)(clock_ns() - began) / CALLS;
}

static void *stay_out(void *unused)
{
    return unused;
}

static void *join_in(void *unused)
{
    fw_last_cpu_join_();
    return unused;
}

static double live(void *(*life)(void *))
{
    uint64_t began = clock_ns();

    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, life, NULL) != 0)
            exit((perror("lastcpu: pthread_create"), 1));
        pthread_join(thread, NULL);
    }
    return (double)(clock_ns() - began) / THREADS;
}

static double live_outside(void)
{
    return live(stay_out);
}

static double live_inside(void)
{
    return live(join_in);
}

static double least(double (*sample)(void))
{
    double best = sample();

    for (int i = 1; i < SAMPLES; i++) {
        double ns = sample();

        best = ns < best ? ns : best;
    }
    return best;
}

void show_costs(void)
{
    double out = least(live_outside), in = least(live_inside);

    printf("ask again about the same thread    %8.1f ns\n", least(ask_again));
    printf("ask afresh, own cache line         %8.1f ns\n", least(ask_afresh));
    printf("a thread's life                    %8.0f ns\n", out);
    printf("  more, if it joins                %8.0f ns\n", in - out);
}
