/* SPDX-License-Identifier: MIT */
/* Priority inheritance (section II-C), in tier A. */
#include <errno.h>
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

/* --- Only who waits for the very lock lends its priority -------------------------------------- */

static void reactive_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(m);
    scenario_cue(h);
    scenario_say("L inherits from H");
    scenario_cue(n);
    scenario_say("L goes on");
    scenario_unlock(me, 'A');
    scenario_say("L ends");
}

static void uses_b(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_unlock(me, 'B');
}

static void it_is_reactive(void)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = reactive_l},
                               {.name = "M", .priority = 20, .locks = "B", .play = uses_b},
                               {.name = "N", .priority = 25, .locks = "", .play = runs},
                               {.name = "H", .priority = 30, .locks = "A", .play = uses_a}};

    l = &a[0], m = &a[1], n = &a[2], h = &a[3];
    scenario_play("reactive", FW_RT_PIP, a, 4,
                  "L wants A\nL has A\n"
                  "M wants B\nM has B\nM leaves B\n"
                  "H wants A\nL inherits from H\nL goes on\nL leaves A\n"
                  "H has A\nH leaves A\nN runs\nL ends\n");
}

/* --- A chain: H waits for M, which waits for L ------------------------------------------------ */

static void chain_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(m);
    scenario_cue(h);
    scenario_say("L inherits through M");
    scenario_cue(n);
    scenario_say("L goes on");
    scenario_unlock(me, 'A');
    scenario_say("L ends");
}

static void chain_m(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_lock(me, 'A');
    scenario_unlock(me, 'A');
    scenario_unlock(me, 'B');
}

static void inheritance_passes_on(void)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "A", .play = chain_l},
                               {.name = "M", .priority = 20, .locks = "AB", .play = chain_m},
                               {.name = "N", .priority = 25, .locks = "", .play = runs},
                               {.name = "H", .priority = 30, .locks = "B", .play = uses_b}};

    l = &a[0], m = &a[1], n = &a[2], h = &a[3];
    scenario_play("a chain", FW_RT_PIP, a, 4,
                  "L wants A\nL has A\nM wants B\nM has B\nM wants A\nH wants B\n"
                  "L inherits through M\nL goes on\nL leaves A\n"
                  "M has A\nM leaves A\nM leaves B\nH has B\nH leaves B\nN runs\nL ends\n");
}

/* --- A circle is refused ---------------------------------------------------------------------- */

static void circle_l(struct actor *me)
{
    scenario_lock(me, 'A');
    scenario_cue(h);
    SCENARIO_EXPECT(fw_rt_trylock(me->task, me->lock[1]), EBUSY);
    SCENARIO_EXPECT(fw_rt_lock(me->task, me->lock[1]), EDEADLK);
    scenario_say("L is refused");
    scenario_unlock(me, 'A');
}

static void circle_h(struct actor *me)
{
    scenario_lock(me, 'B');
    scenario_lock(me, 'A');
    scenario_unlock(me, 'A');
    scenario_unlock(me, 'B');
}

static void a_circle_is_refused(void)
{
    static struct actor a[] = {{.name = "L", .priority = 10, .locks = "AB", .play = circle_l},
                               {.name = "H", .priority = 30, .locks = "AB", .play = circle_h}};

    l = &a[0], h = &a[1];
    scenario_play("a circle", FW_RT_PIP, a, 2,
                  "L wants A\nL has A\nH wants B\nH has B\nH wants A\nL is refused\nL leaves A\n"
                  "H has A\nH leaves A\nH leaves B\n");
}

int main(void)
{
    scenario_begin();
    it_is_reactive();
    inheritance_passes_on();
    a_circle_is_refused();
    printf("PIP: as in the book\n");
    return 0;
}
