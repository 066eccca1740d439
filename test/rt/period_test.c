/* SPDX-License-Identifier: MIT */
/* Jobs: their numbers, releases, and what is said of those that are late.  No time is asserted. */
#include <stdio.h>
#include <time.h>

#include "test/rt/scenario.h"
#include "test/support/now.h"

enum { JOBS = 20 };
#define PERIOD_NS 2000000u

static void run_until(uint64_t ns)
{
    while (now_ns() < ns)
        ;
}

static void check(const struct fw_rt_job *job, const struct fw_rt_job *before)
{
    CHECK(job->finished_ns >= job->released_ns);
    CHECK(job->late == (job->finished_ns > job->released_ns + PERIOD_NS / 2));
    CHECK(job->missed == (job->finished_ns - job->released_ns) / PERIOD_NS);
    CHECK(job->over_budget == (job->executed_ns > PERIOD_NS));
    if (before == NULL)
        return;
    CHECK(job->number == before->number + 1);
    CHECK(job->released_ns == before->released_ns + (before->missed + 1) * PERIOD_NS);
    CHECK(job->released_ns > before->finished_ns);
}

int main(void)
{
    struct fw_rt_task_options options = {.priority = 3,
                                         .period_ns = PERIOD_NS,
                                         .deadline_ns = PERIOD_NS / 2,
                                         .budget_ns = PERIOD_NS};
    struct fw_rt_job job[JOBS];
    fw_rt_group *group;
    fw_rt_task *task;

    scenario_begin();
    options.cpu = cpus[0];
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    EXPECT(fw_rt_task_begin(&task, group, &options), 0);
    for (unsigned i = 0; i < JOBS; i++) {
        if (i % 8 == 4) /* over everything */
            run_until(job[i - 1].released_ns + (job[i - 1].missed + 1) * PERIOD_NS + 3 * PERIOD_NS);
        EXPECT(fw_rt_wait_period(task, &job[i]), 0);
        CHECK(now_ns() >= job[i].released_ns + PERIOD_NS);
        check(&job[i], i > 0 ? &job[i - 1] : NULL);
        if (i % 8 == 4)
            CHECK(job[i].late && job[i].missed >= 3);
    }
    EXPECT(fw_rt_wait_period(task, NULL), 0);
    CHECK(job[0].number == 0);
    EXPECT(fw_rt_task_end(task), 0);
    EXPECT(fw_rt_group_close(group), 0);
    return 0;
}
