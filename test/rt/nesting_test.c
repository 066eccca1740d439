/* SPDX-License-Identifier: MIT */
/* What may lie in a section, in which order sections are left, and what is said otherwise. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test/rt/scenario.h"

enum { DEEP = 20 };

static fw_rt_task *task;

static unsigned opened(const char *name, fw_rt_protocol protocol)
{
    unsigned lock = 99;

    SCENARIO_EXPECT(fw_rt_open(task, name, protocol, 0, &lock), 0);
    return lock;
}

static void nested_sections_are_left_in_reverse(fw_rt_protocol protocol)
{
    char name[32];
    unsigned lock[DEEP];

    for (unsigned i = 0; i < DEEP; i++) {
        snprintf(name, sizeof name, "%s %u", fw_rt_protocol_name(protocol), i);
        lock[i] = opened(name, protocol);
        SCENARIO_EXPECT(fw_rt_lock(task, lock[i]), 0);
        SCENARIO_EXPECT(fw_rt_lock(task, lock[i]), EDEADLK);
        SCENARIO_EXPECT(fw_rt_trylock(task, lock[i / 2]), EDEADLK);
    }
    SCENARIO_EXPECT(fw_rt_unlock(task, lock[0]), EPERM);
    SCENARIO_CHECK(strstr(fw_rt_strerror(), "is left before") != NULL);
    SCENARIO_EXPECT(fw_rt_wait_period(task, NULL), EPERM);
    SCENARIO_EXPECT(fw_rt_task_end(task), EBUSY);
    for (unsigned i = DEEP; i-- > 0;) {
        SCENARIO_EXPECT(fw_rt_unlock(task, lock[i]), 0);
        SCENARIO_CHECK(fw_rt_strerror()[0] == '\0');
        SCENARIO_EXPECT(fw_rt_unlock(task, lock[i]), EPERM);
        if (i % 2 != 0) { /* and again, one deeper */
            SCENARIO_EXPECT(fw_rt_trylock(task, lock[i]), 0);
            SCENARIO_EXPECT(fw_rt_unlock(task, lock[i]), 0);
        }
    }
    SCENARIO_EXPECT(fw_rt_lock(task, lock[0]), 0); /* alone: nothing is left of the others */
    SCENARIO_EXPECT(fw_rt_wait_period(task, NULL), EPERM);
    SCENARIO_EXPECT(fw_rt_task_end(task), EBUSY);
    SCENARIO_EXPECT(fw_rt_unlock(task, lock[1]), EPERM);
    SCENARIO_EXPECT(fw_rt_unlock(task, lock[0]), 0);
    SCENARIO_EXPECT(fw_rt_unlock(task, lock[0]), EPERM);
    SCENARIO_CHECK(strstr(fw_rt_strerror(), "does not have") != NULL);
}

static void others_have_one_lock_at_a_time(fw_rt_protocol protocol)
{
    unsigned first = opened("first", protocol), second = opened("second", protocol),
             pcp = opened("PCP-DU-BOOL 0", FW_RT_PCP_DU);

    SCENARIO_EXPECT(fw_rt_lock(task, first), 0);
    SCENARIO_EXPECT(fw_rt_lock(task, first), EDEADLK);
    SCENARIO_EXPECT(fw_rt_lock(task, second), EPERM);
    SCENARIO_CHECK(strstr(fw_rt_strerror(), "no nesting of \"second\"") != NULL);
    SCENARIO_EXPECT(fw_rt_lock(task, pcp), EPERM);
    SCENARIO_EXPECT(fw_rt_unlock(task, first), 0);
    SCENARIO_EXPECT(fw_rt_lock(task, pcp), 0);
    SCENARIO_EXPECT(fw_rt_trylock(task, second), EPERM);
    SCENARIO_EXPECT(fw_rt_unlock(task, pcp), 0);
}

static void protocols_do_not_mix(void)
{
    unsigned pip = opened("PIP 0", FW_RT_PIP), ipcp = opened("IPCP 0", FW_RT_IPCP);

    SCENARIO_EXPECT(fw_rt_lock(task, pip), 0);
    SCENARIO_EXPECT(fw_rt_lock(task, ipcp), EPERM);
    SCENARIO_EXPECT(fw_rt_unlock(task, pip), 0);
    SCENARIO_EXPECT(fw_rt_lock(task, ipcp), 0);
    SCENARIO_EXPECT(fw_rt_lock(task, pip), EPERM);
    SCENARIO_EXPECT(fw_rt_unlock(task, ipcp), 0);
}

int main(void)
{
    static const fw_rt_protocol nest[] = {FW_RT_PIP, FW_RT_IPCP, FW_RT_PCP_DU},
                                alone[] = {FW_RT_MPCP, FW_RT_MPCP_DU, FW_RT_FMLP, FW_RT_FMLP_DU};
    struct fw_rt_task_options options = {.priority = 7, .period_ns = 1000000};
    fw_rt_group *group;

    scenario_begin();
    options.cpu = scenario_cpu();
    SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &options), 0);
    for (unsigned i = 0; i < sizeof nest / sizeof *nest; i++)
        nested_sections_are_left_in_reverse(nest[i]);
    protocols_do_not_mix();
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    SCENARIO_EXPECT(fw_rt_group_close(group), 0);
    for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++) {
        SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
        SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &options), 0);
        others_have_one_lock_at_a_time(alone[i]);
        SCENARIO_EXPECT(fw_rt_task_end(task), 0);
        SCENARIO_EXPECT(fw_rt_group_close(group), 0);
    }
    return 0;
}
