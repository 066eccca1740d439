/* SPDX-License-Identifier: MIT */
/*
 * Priority inheritance, the immediate priority ceiling protocol and the priority ceiling protocol,
 * as the paper has them (sections II-C and II-D), in tier A: who gets what in which order.  The
 * baseline of PCP and PCP-DU do the same in the same order.
 */
#include <errno.h>
#include <stdio.h>

#include "test/rt/scenario.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ACTORS = 4, PROTOCOLS = 2 };

static struct actor actors[ACTORS];

/*
 * Scripts: A..H locks, a..h unlocks; >N gives the task N its cue, ? waits for one; a digit is said;
 * ! asks for B, by trylock and lock, in a circle that is refused.
 */
static void follow(struct actor *me)
{
    for (const char *step = me->script; *step != '\0'; step++) {
        if (*step == '>') {
            step++;
            for (unsigned i = 0; i < ACTORS; i++)
                if (actors[i].name != NULL && *actors[i].name == *step)
                    scenario_cue(&actors[i]);
        } else if (*step == '?') {
            scenario_wait_for_cue(me);
        } else if (*step == '!') {
            EXPECT(fw_rt_trylock(me->task, me->lock[1]), EBUSY);
            EXPECT(fw_rt_lock(me->task, me->lock[1]), EDEADLK);
        } else if (*step >= 'A' && *step <= 'H') {
            scenario_lock(me, *step);
        } else if (*step >= 'a' && *step <= 'h') {
            scenario_unlock(me, (char)(*step - 'a' + 'A'));
        } else {
            scenario_say("%s%c", me->name, *step);
        }
    }
}

/* What is said: L?A wants A, L+A has it, L-A leaves it.  The first task begins. */
static const struct order {
    const char *about;
    fw_rt_protocol protocols[PROTOCOLS];
    struct {
        const char *name;
        int priority;
        const char *locks, *script;
    } tasks[ACTORS];
    const char *said;
} orders[] = {
    {"only a task that waits for the very lock lends its priority",
     {FW_RT_PIP},
     {{"L", 10, "A", "A>M>H1>N2a3"},
      {"M", 20, "B", "Bb"},
      {"N", 25, "", "1"},
      {"H", 30, "A", "Aa"}},
     "L?A L+A M?B M+B M-B H?A L1 L2 L-A H+A H-A N1 L3 "},
    {"H waits for M, which waits for L: inheritance is transitive",
     {FW_RT_PIP},
     {{"L", 10, "A", "A>M>H1>N2a3"},
      {"M", 20, "AB", "BAab"},
      {"N", 25, "", "1"},
      {"H", 30, "B", "Bb"}},
     "L?A L+A M?B M+B M?A H?B L1 L2 L-A M+A M-A M-B H+B H-B N1 L3 "},
    {"a circle is refused",
     {FW_RT_PIP},
     {{"L", 10, "AB", "A>H!1a"}, {"H", 30, "AB", "BAab"}},
     "L?A L+A H?B H+B H?A L1 L-A H+A H-A H-B "},
    {"at or below an immediate ceiling a task waits for the section, and above it not",
     {FW_RT_IPCP},
     {{"L", 10, "A", "A>M>N>H1a2"}, {"M", 20, "", "1"}, {"N", 25, "A", "Aa"}, {"H", 30, "", "1"}},
     "L?A L+A H1 L1 L-A N?A N+A N-A M1 L2 "},
    {"immediate ceilings nest: the inner section has the higher one",
     {FW_RT_IPCP},
     {{"L", 10, "AB", "AB>M>H1b2a3"}, {"M", 20, "A", "Aa"}, {"H", 30, "B", "Bb"}},
     "L?A L+A L?B L+B L1 L-B H?B H+B H-B L2 L-A M?A M+A M-A L3 "},
    {"the ceiling blocks M, whose lock is free; N does not preempt L, which inherits from M",
     {FW_RT_PCP, FW_RT_PCP_DU},
     {{"L", 10, "A", "A>M>N1>H2a3"},
      {"M", 20, "B", "Bb1"},
      {"N", 15, "", "1"},
      {"H", 30, "A", "1Aa2"}},
     "L?A L+A M?B L1 H1 H?A L2 L-A H+A H-A H2 M+B M-B M1 N1 L3 "},
    {"a task that uses no lock is not held back by a section (unlike IPCP)",
     {FW_RT_PCP, FW_RT_PCP_DU},
     {{"L", 10, "A", "A>M1a>H2"}, {"M", 20, "", "1"}, {"H", 30, "A", "1"}},
     "L?A L+A M1 L1 L-A H1 L2 "},
    {"crosswise nesting: no deadlock, and H waits for one section only, the outer one",
     {FW_RT_PCP, FW_RT_PCP_DU},
     {{"L", 10, "AB", "A>HBb1a"}, {"H", 30, "AB", "BAab"}},
     "L?A L+A H?B L?B L+B L-B L1 L-A H+B H?A H+A H-A H-B "},
    {"the inner lock is in the way, and the outer one is not: H waits for the inner section",
     {FW_RT_PCP, FW_RT_PCP_DU},
     {{"L", 10, "AB", "AB>Hb1a"}, {"H", 30, "B", "Bb"}},
     "L?A L+A L?B L+B H?B L-B H+B H-B L1 L-A "},
    {"three wait for one section: the most urgent goes first, whatever the order of arrival",
     {FW_RT_PCP, FW_RT_PCP_DU},
     {{"L", 10, "A", "A>M>N>Ha1"},
      {"M", 20, "A", "Aa"},
      {"N", 25, "A", "Aa"},
      {"H", 30, "A", "Aa"}},
     "L?A L+A M?A N?A H?A L-A H+A H-A N+A N-A M+A M-A L1 "},
    {"L sleeps in its section: M, which waits for it, sleeps too, and N runs",
     {FW_RT_PCP, FW_RT_PCP_DU},
     {{"L", 10, "A", "A>N?1a"}, {"M", 20, "A", "Aa"}, {"N", 5, "", "1>M2>L3"}},
     "L?A L+A N1 M?A N2 L1 L-A M+A M-A N3 "},
};

int main(void)
{
    scenario_begin();
    for (const struct order *o = orders; o < orders + COUNT(orders); o++) {
        unsigned n = 0;

        for (; n < ACTORS && o->tasks[n].name != NULL; n++)
            actors[n] = (struct actor){.name = o->tasks[n].name,
                                       .priority = o->tasks[n].priority,
                                       .locks = o->tasks[n].locks,
                                       .play = follow,
                                       .script = o->tasks[n].script};
        for (unsigned i = n; i < ACTORS; i++)
            actors[i].name = NULL;
        for (unsigned p = 0; p < PROTOCOLS && o->protocols[p] != 0; p++)
            scenario_play(o->about, o->protocols[p], actors, n, o->said);
    }
    printf("%zu scenarios in order\n", COUNT(orders));
    return 0;
}
