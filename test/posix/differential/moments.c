// SPDX-License-Identifier: MIT
// Contract: differ.h.
#include "differ.h"

#define SOON_NS 3000000 // 3 ms
#define FAR_S 1000      // nobody gets there
#define SECOND_NS 1000000000

int any_clock(void)
{
    static const int clocks[] = {CLOCK_REALTIME,
                                 CLOCK_MONOTONIC,
                                 CLOCK_REALTIME,
                                 CLOCK_MONOTONIC,
                                 CLOCK_BOOTTIME,
                                 CLOCK_PROCESS_CPUTIME_ID,
                                 77};

    return clocks[draw(sizeof(clocks) / sizeof(clocks[0]))];
}

static const char *const words[MOMENTS] = {
    "long ago", "before 1970", "one billion ns", "-1 ns", "-1 s -1 ns", "soon", "far"};

void set_moment(struct order *o, enum moment which)
{
    struct timespec now;
    bool known = o->clock == CLOCK_REALTIME || o->clock == CLOCK_MONOTONIC;

    clock_gettime(known ? (clockid_t)o->clock : CLOCK_REALTIME, &now);
    o->at = now;
    o->when = words[which];
    o->ends = which != FAR; // also where the kernel is asked to sleep until a time that is over
    switch (which) {
    case LONG_AGO:
        o->at.tv_sec = 1;
        break;
    case BEFORE_1970:
        o->at.tv_sec = -1;
        break;
    case BILLION_NS:
        o->at.tv_sec += FAR_S;
        o->at.tv_nsec = SECOND_NS;
        break;
    case NEGATIVE_NS:
        o->at.tv_sec += FAR_S;
        o->at.tv_nsec = -1;
        break;
    case BOTH_NEGATIVE:
        o->at.tv_sec = -1;
        o->at.tv_nsec = -1;
        break;
    case SOON:
        o->at.tv_nsec += SOON_NS;
        if (o->at.tv_nsec >= SECOND_NS) {
            o->at.tv_nsec -= SECOND_NS;
            o->at.tv_sec++;
        }
        break;
    default:
        o->at.tv_sec += FAR_S;
        break;
    }
}
