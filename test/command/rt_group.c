/* SPDX-License-Identifier: MIT */
/*
 * Makes a group of real-time tasks as they are found in the middle of things, made up, for
 * `furwock rt status` to look at; says "ready" and its thread's id, and stays until its standard
 * input ends.
 *
 *     rt_state NAME [half|magic|format|tier|nonsense]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/region.h>
#include <furwock/rt.h>

#include "rt/state.h"
#include "test/support/now.h"

enum { LOW, HIGH, MIDDLE, GONE };
enum { STATE, LOG };
enum { REGION_BYTES = 1 << 17 };

static void add_task(struct fw_rt_state *w, int slot, const char *name, uint32_t base)
{
    struct fw_rt_task_record *c = &w->task[slot];

    strncpy(c->name, name, sizeof c->name - 1);
    c->base = base;
    c->cpu = 1;
    c->ready = 1;
    c->tid = (uint32_t)getpid();
    c->state = FW_RT_LIVE;
    w->tasks = (uint32_t)slot + 1;
}

static void add_lock(struct fw_rt_state *w, int d, const char *name, fw_rt_protocol protocol,
                     uint32_t kind, uint32_t ceiling)
{
    struct fw_rt_lock_record *l = &w->lock[d];

    strncpy(l->name, name, sizeof l->name - 1);
    l->protocol = (uint32_t)protocol;
    l->kind = kind;
    l->ceiling = ceiling;
    l->cpu = 1;
    w->locks = (uint32_t)d + 1;
}

/* "low" has "state"; "high" wants it; "middle" is held back by it; "gone" died with "log". */
static void make_up(struct fw_rt_state *w)
{
    add_task(w, LOW, "low", 10);
    add_task(w, HIGH, "high", 30);
    add_task(w, MIDDLE, "middle\033[2J", 20);
    add_task(w, GONE, "gone", 5);
    add_lock(w, STATE, "state", FW_RT_PCP_DU, FW_RT_KIND_PCP, 30);
    add_lock(w, LOG, "log", FW_RT_MPCP_DU, FW_RT_KIND_MPCP, 0);
    w->lock[STATE].users = 1u << LOW | 1u << HIGH;
    w->lock[LOG].users = 1u << GONE;
    w->lock[LOG].died = 1;
    w->task[LOW].held = 1u << STATE;
    w->task[LOW].period = 2000000;
    w->task[LOW].jobs = 7;
    w->task[LOW].misses = 2;
    w->task[HIGH].request = STATE + 1;
    w->task[HIGH].behind = STATE + 1;
    w->task[HIGH].since = now_ns() - 1;
    w->task[MIDDLE].behind = STATE + 1;
    w->task[MIDDLE].since = now_ns() - 1;
    w->task[GONE].held = 1u << LOG;
    w->task[GONE].state = FW_RT_DEAD;
    w->tier = FW_RT_TIER_A;
    w->format = FW_RT_FORMAT;
    w->magic = FW_RT_MAGIC;
}

static void spoil(struct fw_rt_state *w, const char *how)
{
    if (strcmp(how, "half") == 0)
        w->magic = 0;
    else if (strcmp(how, "magic") == 0)
        w->magic++;
    else if (strcmp(how, "format") == 0)
        w->format++;
    else if (strcmp(how, "tier") == 0)
        w->tier = 77;
    else
        memset(&w->task, 0xff, sizeof *w - offsetof(struct fw_rt_state, task));
}

int main(int argc, char **argv)
{
    fw_region *region;
    void *state;

    if (argc < 2 || fw_region_open(argv[1], REGION_BYTES, FW_REGION_CREATE | 0644, &region) != 0 ||
        fw_region_object(region, "furwock-rt", FW_REGION_DATA, sizeof(struct fw_rt_state),
                         FW_REGION_CREATE, &state) != 0)
        return EXIT_FAILURE;
    make_up(state);
    if (argc > 2)
        spoil(state, argv[2]);
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return EXIT_SUCCESS;
}
