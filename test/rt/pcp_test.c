/* SPDX-License-Identifier: MIT */
/*
 * The priority ceiling protocol, as the paper has it (section II-D), in tier A: the baseline and
 * PCP-DU do the same in the same order.
 */
#include <stdio.h>

#include "test/rt/scenario.h"

static struct actor *l, *m, *n, *h;

/* --- L has A, M wants B which is free, N does not use locks, H computes and then wants A ------ */

static void ceiling_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(m);
    scenario_cue(n);
    scenario_say("L goes on, and N does not preempt it");
    scenario_cue(h);
    scenario_say("L inherits from H");
    scenario_unlock(me, 'A');
    scenario_say("L ends");
}

static void ceiling_m(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_unlock(me, 'B');
    scenario_say("M ends");
}

static void no_locks(struct actor *me)
{
    scenario_say("%s runs", me->name);
}

static void ceiling_h(struct actor *me)
{
    scenario_say("H runs, though A is held");
    scenario_lock(me, 'A');
    scenario_unlock(me, 'A');
    scenario_say("H ends");
}

static void the_ceiling_blocks(fw_rt_protocol protocol)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = ceiling_l},
                               {.name = "M", .priority = 20, .locks = "B", .play = ceiling_m},
                               {.name = "N", .priority = 15, .locks = "", .play = no_locks},
                               {.name = "H", .priority = 30, .locks = "A", .play = ceiling_h}};

    l = &a[0], m = &a[1], n = &a[2], h = &a[3];
    scenario_play("the ceiling blocks", protocol, a, 4,
                  "L wants A\nL has A\n"
                  "M wants B\n"
                  "L goes on, and N does not preempt it\n"
                  "H runs, though A is held\nH wants A\n"
                  "L inherits from H\nL leaves A\n"
                  "H has A\nH leaves A\nH ends\n"
                  "M has B\nM leaves B\nM ends\n"
                  "N runs\n"
                  "L ends\n");
}

/* --- Who uses no lock is not held back by a section: no needless inversion (unlike IPCP) ------ */

static void preempted_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(m);
    scenario_say("L goes on");
    scenario_unlock(me, 'A');
    scenario_cue(h);
    scenario_say("L ends");
}

static void nobody_waits_for_nothing(fw_rt_protocol protocol)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = preempted_l},
                               {.name = "M", .priority = 20, .locks = "", .play = no_locks},
                               {.name = "H", .priority = 30, .locks = "A", .play = no_locks}};

    l = &a[0], m = &a[1], h = &a[2];
    scenario_play("nobody waits for nothing", protocol, a, 3,
                  "L wants A\nL has A\nM runs\nL goes on\nL leaves A\nH runs\nL ends\n");
}

/* --- Crosswise nesting: no deadlock, and H waits for one section only ------------------------- */

static void crosswise_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(h);
    scenario_lock(me, 'B');
    scenario_unlock(me, 'B');
    scenario_say("L goes on: its outer section is in the way");
    scenario_unlock(me, 'A');
}

static void crosswise_h(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_lock(me, 'A');
    scenario_unlock(me, 'A');
    scenario_unlock(me, 'B');
}

static void crosswise_nesting_is_safe(fw_rt_protocol protocol)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "AB", .play = crosswise_l},
                               {.name = "H", .priority = 30, .locks = "AB", .play = crosswise_h}};

    l = &a[0], h = &a[1];
    scenario_play("crosswise nesting", protocol, a, 2,
                  "L wants A\nL has A\n"
                  "H wants B\n"
                  "L wants B\nL has B\nL leaves B\n"
                  "L goes on: its outer section is in the way\nL leaves A\n"
                  "H has B\nH wants A\nH has A\nH leaves A\nH leaves B\n");
}

/* --- The inner lock is in the way, and the outer one is not: H waits for the inner section ---- */

static void inner_l(struct actor *me)
{
    scenario_lock(me, 'A'); /* ceiling 10 */
    scenario_lock(me, 'B'); /* ceiling 30 */
    scenario_cue(h);
    scenario_unlock(me, 'B');
    scenario_say("L goes on in A");
    scenario_unlock(me, 'A');
}

static void uses_b(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_unlock(me, 'B');
}

static void only_the_inner_section_is_waited_for(fw_rt_protocol protocol)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "AB", .play = inner_l},
                               {.name = "H", .priority = 30, .locks = "B", .play = uses_b}};

    l = &a[0], h = &a[1];
    scenario_play("the inner section", protocol, a, 2,
                  "L wants A\nL has A\nL wants B\nL has B\n"
                  "H wants B\n"
                  "L leaves B\n"
                  "H has B\nH leaves B\n"
                  "L goes on in A\nL leaves A\n");
}

/* --- Three wait for one section: the most urgent goes first, whatever the order of arrival ---- */

static void crowd_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(m);
    scenario_cue(n);
    scenario_cue(h);
    scenario_unlock(me, 'A');
    scenario_say("L ends");
}

static void uses_a(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_unlock(me, 'A');
}

static void waiters_go_by_priority(fw_rt_protocol protocol)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = crowd_l},
                               {.name = "M", .priority = 20, .locks = "A", .play = uses_a},
                               {.name = "N", .priority = 25, .locks = "A", .play = uses_a},
                               {.name = "H", .priority = 30, .locks = "A", .play = uses_a}};

    l = &a[0], m = &a[1], n = &a[2], h = &a[3];
    scenario_play("waiters go by priority", protocol, a, 4,
                  "L wants A\nL has A\nM wants A\nN wants A\nH wants A\nL leaves A\n"
                  "H has A\nH leaves A\nN has A\nN leaves A\nM has A\nM leaves A\nL ends\n");
}

/* --- L sleeps in its section: M, which waits for it, sleeps too, and N runs ------------------- */

static void sleeping_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(n);
    scenario_wait_for_cue(me);
    scenario_say("L wakes up");
    scenario_unlock(me, 'A');
}

static void waking_n(struct actor *me)
{
    (void)me;
    scenario_say("N runs");
    scenario_cue(m);
    scenario_say("N goes on, for L sleeps");
    scenario_cue(l);
    scenario_say("N ends");
}

static void a_holder_may_sleep(fw_rt_protocol protocol)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = sleeping_l},
                               {.name = "M", .priority = 20, .locks = "A", .play = uses_a},
                               {.name = "N", .priority = 5, .locks = "", .play = waking_n}};

    l = &a[0], m = &a[1], n = &a[2];
    scenario_play("a holder sleeps", protocol, a, 3,
                  "L wants A\nL has A\nN runs\nM wants A\nN goes on, for L sleeps\n"
                  "L wakes up\nL leaves A\nM has A\nM leaves A\nN ends\n");
}

int main(void)
{
    static const fw_rt_protocol protocols[] = {FW_RT_PCP, FW_RT_PCP_DU};

    scenario_begin();
    for (unsigned i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        the_ceiling_blocks(protocols[i]);
        nobody_waits_for_nothing(protocols[i]);
        crosswise_nesting_is_safe(protocols[i]);
        only_the_inner_section_is_waited_for(protocols[i]);
        waiters_go_by_priority(protocols[i]);
        a_holder_may_sleep(protocols[i]);
        printf("%s: as in the book\n", fw_rt_protocol_name(protocols[i]));
    }
    return 0;
}
