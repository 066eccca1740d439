/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <string.h>

#include "../engine/model.h"

#define LINE 64u
#define MEMORY_LINES (MODEL_MEMORY / LINE)
#define LINES (MEMORY_LINES + MODEL_MAX_THREADS * MODEL_STACK / LINE)
#define WORDS (MACHINE_MAX_CORES / 64)

/* Round figures for today's servers; the program can set each. */
struct machine_costs machine_costs = {
    .hit = 1 * NS,
    .locked = 5 * NS,
    .near = 50 * NS,
    .far = 130 * NS,
    .memory = 90 * NS,
    .busy = 10 * NS,
    .hold = 15 * NS,
    .pause = 20 * NS,
    .clock = 20 * NS,
    .call = 100 * NS,
    .wake = 900 * NS,
    .latency = 5000 * NS,
    .interrupt = 1000 * NS,
};
unsigned machine_cores = 1, machine_nodes = 1;
struct machine_counts machine_counts;

struct line {
    uint64_t holders[WORDS];   /* bit n: core n has it */
    uint64_t will_hold[WORDS]; /* the same, when all who have asked up to now have got it */
    uint64_t writers[WORDS];   /* bit n: core n has asked for it, to write, and waits */
    uint64_t lost_at;          /* then: when those who have it lose it */
    uint64_t free_at;          /* when it can go to who asks next */
};
static struct line lines[LINES];

void machine_reset(unsigned cores, unsigned nodes)
{
    machine_cores = cores;
    machine_nodes = nodes;
    memset(lines, 0, sizeof lines);
    machine_counts = (struct machine_counts){0};
}

static struct line *line_of(uint64_t addr)
{
    uint64_t memory = (uint64_t)(uintptr_t)model_memory;

    if (addr >= memory && addr < memory + MODEL_MEMORY)
        return &lines[(addr - memory) / LINE];
    return &lines[MEMORY_LINES + (addr - (uint64_t)(uintptr_t)model_stacks) / LINE];
}

static bool is_in(const uint64_t *set, unsigned core)
{
    return (set[core / 64] >> core % 64 & 1) != 0;
}

static void add(uint64_t *set, unsigned core)
{
    set[core / 64] |= UINT64_C(1) << core % 64;
}

static bool is_wanted(const struct line *l)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (l->writers[i] != 0)
            return true;
    return false;
}

/* Is another core in the set, one of the same node (or of another one)? */
static bool is_at(const uint64_t *set, unsigned core, bool same_node)
{
    for (unsigned other = 0; other < machine_cores; other++)
        if (other != core && is_in(set, other) &&
            (machine_node_of(other) == machine_node_of(core)) == same_node)
            return true;
    return false;
}

/*
 * From those who have it then, a reader takes it from the nearest; a writer has to hear from the
 * farthest.  (A core that has asked already, for a store, gets it with that.)
 */
static uint64_t transfer(const struct line *l, unsigned core, enum machine_access access)
{
    bool is_near = is_at(l->will_hold, core, true), is_far = is_at(l->will_hold, core, false);

    if (!is_near && !is_far && is_in(l->will_hold, core))
        return 0;
    if (!is_near && !is_far) {
        machine_counts.memory++;
        return machine_costs.memory;
    }
    if (access == MACHINE_READ ? !is_near : is_far) {
        machine_counts.far++;
        return machine_costs.far;
    }
    machine_counts.near++;
    return machine_costs.near;
}

/* Can a core do that without asking anybody? */
static bool is_hit(const struct line *l, unsigned core, enum machine_access access, uint64_t now)
{
    if (!is_in(l->holders, core) || (is_wanted(l) && now >= l->lost_at))
        return false;
    return access == MACHINE_READ ||
           (!is_at(l->holders, core, true) && !is_at(l->holders, core, false));
}

uint64_t machine_ask(unsigned core, uint64_t addr, enum machine_access access, uint64_t now)
{
    struct line *l = line_of(addr);
    uint64_t end;

    if (is_hit(l, core, access, now))
        return now + machine_costs.hit;
    if (now < l->free_at)
        now = l->free_at;
    end = now + transfer(l, core, access) + machine_costs.hit;
    if (access == MACHINE_READ) {
        l->free_at = now + machine_costs.busy;
        add(l->will_hold, core);
        return end;
    }
    if (!is_wanted(l))
        l->lost_at = now;
    add(l->writers, core);
    memset(l->will_hold, 0, sizeof l->will_hold);
    add(l->will_hold, core);
    l->free_at = end + machine_costs.hold;
    return end;
}

void machine_done(unsigned core, uint64_t addr, uint64_t now)
{
    struct line *l = line_of(addr);

    if (is_in(l->writers, core)) {
        l->writers[core / 64] &= ~(UINT64_C(1) << core % 64);
        l->lost_at = now + machine_costs.hold;
        memset(l->holders, 0, sizeof l->holders);
    }
    add(l->holders, core);
}
