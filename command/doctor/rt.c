/* SPDX-License-Identifier: MIT */
/* How real-time locks can be enforced here: by SCHED_FIFO (tier A), or by a scheduler (tier B). */
#include <errno.h>
#include <furwock/rt.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "bpf/sched/loader.h"
#include "command/print/visible.h"
#include "doctor.h"

enum { LINE = 512 };

/* The highest priority that tier A uses: sections are boosted with it. */
enum { BOOSTED = 98 };

/* In a thread of its own, which ends as soon as it knows. */
static void *try_fifo(void *error)
{
    struct sched_param param = {.sched_priority = BOOSTED};

    *(int *)error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
    return NULL;
}

static void ask_fifo(struct doctor_finding *f)
{
    pthread_t thread;
    int answer = 0, error = pthread_create(&thread, NULL, try_fifo, &answer);

    if (error == 0)
        pthread_join(thread, NULL);
    else
        answer = error;
    f->state = answer == 0 ? DOCTOR_YES : answer == EPERM ? DOCTOR_REFUSED : DOCTOR_NO;
    if (answer != 0)
        snprintf(f->detail, sizeof f->detail, "SCHED_FIFO at priority %d: %s", BOOSTED,
                 strerror(answer));
}

static void ask_scheduler(struct doctor_finding *f)
{
    fw_rt_group *group;
    int error = fw_rt_group_open(&group, NULL, FW_RT_TIER_B);

    f->state = error == 0 ? DOCTOR_YES : error == EPERM ? DOCTOR_REFUSED : DOCTOR_NO;
    if (error == 0)
        fw_rt_group_close(group);
    else
        snprintf(f->detail, sizeof f->detail, "%.*s", (int)sizeof f->detail - 1, fw_rt_strerror());
    visible(f->detail);
}

static void ask_could_schedule(struct doctor_finding *f)
{
    char line[LINE] = "";
    fw_bpf_result outcome = fw_rt_scx_possible(line, sizeof line);

    f->state = outcome == FW_BPF_DONE            ? DOCTOR_YES
               : outcome == FW_BPF_NOT_PERMITTED ? DOCTOR_REFUSED
                                                 : DOCTOR_NO;
    snprintf(f->detail, sizeof f->detail, "%.*s", (int)sizeof f->detail - 1, line);
    visible(f->detail);
}

static void ask_proxies(struct doctor_finding *f)
{
    char line[LINE] = "";

    f->state =
        fw_rt_scx_permits_possible(line, sizeof line) == FW_BPF_DONE ? DOCTOR_YES : DOCTOR_NO;
    snprintf(f->detail, sizeof f->detail, "%.*s", (int)sizeof f->detail - 1, line);
    visible(f->detail);
}

const struct doctor_question doctor_rt[] = {
    {"real-time tier A", ask_fifo,
     "real-time tasks (furwock/rt.h) run under SCHED_FIFO, held back at the library's calls",
     "no real-time tasks under SCHED_FIFO: it needs CAP_SYS_NICE, or RLIMIT_RTPRIO of 98",
     DOCTOR_EXTRA, NULL, NULL},
    {"real-time tier B", ask_scheduler,
     "real-time tasks are scheduled by their protocols, at all wake-ups",
     "groups of real-time tasks are of tier A", DOCTOR_EXTRA, NULL, NULL},
    {"tier B possible", ask_could_schedule, "furwock rt start starts its scheduler",
     "furwock rt start fails, started from here", DOCTOR_EXTRA, NULL, NULL},
    {"PCP-DU-PF possible", ask_proxies, "tier B, if it runs, has locks under PCP-DU-PF",
     "no locks under PCP-DU-PF: PCP-DU-BOOL has the same bounds, in both tiers", DOCTOR_EXTRA, NULL,
     NULL},
};
const size_t doctor_rt_count = sizeof doctor_rt / sizeof *doctor_rt;
