/* SPDX-License-Identifier: MIT */
/* What may lie in a section, in which order sections are left, and what is said otherwise. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test/rt/scenario.h"

enum { DEEP = 20 };

static fw_rt_task *task;

static unsigned opened(const char *name, fw_rt_protocol under)
{
    unsigned lock = 99;

    EXPECT(fw_rt_open(task, name, under, 0, &lock), 0);
    return lock;
}

static void nested_sections_are_left_in_reverse(fw_rt_protocol under)
{
    char name[32];
    unsigned lock[DEEP];

    for (unsigned i = 0; i < DEEP; i++) {
        snprintf(name, sizeof name, "%s %u", fw_rt_protocol_name(under), i);
        lock[i] = opened(name, under);
        EXPECT(fw_rt_lock(task, lock[i]), 0);
        EXPECT(fw_rt_lock(task, lock[i]), EDEADLK);
        EXPECT(fw_rt_trylock(task, lock[i / 2]), EDEADLK);
    }
    EXPECT(fw_rt_unlock(task, lock[0]), EPERM);
    CHECK(strstr(fw_rt_strerror(), "is left before") != NULL);
    EXPECT(fw_rt_wait_period(task, NULL), EPERM);
    EXPECT(fw_rt_task_end(task), EBUSY);
    for (unsigned i = DEEP; i-- > 0;) {
        EXPECT(fw_rt_unlock(task, lock[i]), 0);
        CHECK(fw_rt_strerror()[0] == '\0');
        EXPECT(fw_rt_unlock(task, lock[i]), EPERM);
        if (i % 2 != 0) { /* and again, one deeper */
            EXPECT(fw_rt_trylock(task, lock[i]), 0);
            EXPECT(fw_rt_unlock(task, lock[i]), 0);
        }
    }
    EXPECT(fw_rt_lock(task, lock[0]), 0); /* alone: nothing is left of the others */
    EXPECT(fw_rt_wait_period(task, NULL), EPERM);
    EXPECT(fw_rt_task_end(task), EBUSY);
    EXPECT(fw_rt_unlock(task, lock[1]), EPERM);
    EXPECT(fw_rt_unlock(task, lock[0]), 0);
    EXPECT(fw_rt_unlock(task, lock[0]), EPERM);
    CHECK(strstr(fw_rt_strerror(), "does not have") != NULL);
}

static void others_have_one_lock_at_a_time(fw_rt_protocol under)
{
    unsigned first = opened("first", under), second = opened("second", under),
             pcp = opened("PCP-DU-BOOL 0", FW_RT_PCP_DU);

    EXPECT(fw_rt_lock(task, first), 0);
    EXPECT(fw_rt_lock(task, first), EDEADLK);
    EXPECT(fw_rt_lock(task, second), EPERM);
    CHECK(strstr(fw_rt_strerror(), "no nesting of \"second\"") != NULL);
    EXPECT(fw_rt_lock(task, pcp), EPERM);
    EXPECT(fw_rt_unlock(task, first), 0);
    EXPECT(fw_rt_lock(task, pcp), 0);
    EXPECT(fw_rt_trylock(task, second), EPERM);
    EXPECT(fw_rt_unlock(task, pcp), 0);
}

static void protocols_do_not_mix(void)
{
    unsigned pip = opened("PIP 0", FW_RT_PIP), ipcp = opened("IPCP 0", FW_RT_IPCP);

    EXPECT(fw_rt_lock(task, pip), 0);
    EXPECT(fw_rt_lock(task, ipcp), EPERM);
    EXPECT(fw_rt_unlock(task, pip), 0);
    EXPECT(fw_rt_lock(task, ipcp), 0);
    EXPECT(fw_rt_lock(task, pip), EPERM);
    EXPECT(fw_rt_unlock(task, ipcp), 0);
}

int main(void)
{
    static const fw_rt_protocol nest[] = {FW_RT_PIP, FW_RT_IPCP, FW_RT_PCP_DU},
                                alone[] = {FW_RT_MPCP, FW_RT_MPCP_DU, FW_RT_FMLP, FW_RT_FMLP_DU};
    fw_rt_group *group;

    scenario_begin();
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    task = begin_task(group, NULL, cpus[0], 7, "");
    for (unsigned i = 0; i < sizeof nest / sizeof *nest; i++)
        nested_sections_are_left_in_reverse(nest[i]);
    protocols_do_not_mix();
    EXPECT(fw_rt_task_end(task), 0);
    EXPECT(fw_rt_group_close(group), 0);
    for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++) {
        EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
        task = begin_task(group, NULL, cpus[0], 7, "");
        others_have_one_lock_at_a_time(alone[i]);
        EXPECT(fw_rt_task_end(task), 0);
        EXPECT(fw_rt_group_close(group), 0);
    }
    return 0;
}
