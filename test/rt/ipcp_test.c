/* SPDX-License-Identifier: MIT */
/*
 * The immediate priority ceiling protocol (section II-D), in tier A: at the wake-up points of the
 * library.
 */
#include <stdio.h>

#include "test/rt/scenario.h"

static struct actor *l, *m, *n, *h;

static void runs(struct actor *me)
{
    scenario_say("%s runs", me->name);
}

static void uses_a(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_unlock(me, 'A');
}

/* --- Who is at or below the ceiling waits for the section, and whoever is above it does not --- */

static void immediate_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(m);
    scenario_cue(n);
    scenario_cue(h);
    scenario_say("L goes on");
    scenario_unlock(me, 'A');
    scenario_say("L ends");
}

static void the_ceiling_is_immediate(void)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = immediate_l},
                               {.name = "M", .priority = 20, .locks = "", .play = runs},
                               {.name = "N", .priority = 25, .locks = "A", .play = uses_a},
                               {.name = "H", .priority = 30, .locks = "", .play = runs}};

    l = &a[0], m = &a[1], n = &a[2], h = &a[3];
    scenario_play("immediate", FW_RT_IPCP, a, 4,
                  "L wants A\nL has A\n"
                  "H runs\n"
                  "L goes on\nL leaves A\n"
                  "N wants A\nN has A\nN leaves A\nM runs\nL ends\n");
}

/* --- The inner section has the higher ceiling ------------------------------------------------- */

static void inner_l(struct actor *me)
{
    scenario_lock(me, 'A'); /* ceiling 20 */
    scenario_lock(me, 'B'); /* ceiling 30 */
    scenario_cue(m);
    scenario_cue(h);
    scenario_say("L goes on in B");
    scenario_unlock(me, 'B');
    scenario_say("L goes on in A");
    scenario_unlock(me, 'A');
    scenario_say("L ends");
}

static void uses_b(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_unlock(me, 'B');
}

static void ceilings_nest(void)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "AB", .play = inner_l},
                               {.name = "M", .priority = 20, .locks = "A", .play = uses_a},
                               {.name = "H", .priority = 30, .locks = "B", .play = uses_b}};

    l = &a[0], m = &a[1], h = &a[2];
    scenario_play("nested ceilings", FW_RT_IPCP, a, 3,
                  "L wants A\nL has A\nL wants B\nL has B\n"
                  "L goes on in B\nL leaves B\n"
                  "H wants B\nH has B\nH leaves B\n"
                  "L goes on in A\nL leaves A\n"
                  "M wants A\nM has A\nM leaves A\nL ends\n");
}

int main(void)
{
    scenario_begin();
    the_ceiling_is_immediate();
    ceilings_nest();
    printf("IPCP: as in the book\n");
    return 0;
}
