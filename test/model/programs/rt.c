/* SPDX-License-Identifier: MIT */
#include "programs.h"
#include "rt_check.h"
#include "rt_script.h"

/* Task A is the least urgent one; on one CPU. */
static const struct model_task one_cpu[] = {{10, 0}, {20, 0}, {30, 0}, {40, 0}};

/* The same with C on the other CPU; and with all that others have moved apart. */
static const struct model_task two_cpus[] = {{10, 0}, {20, 0}, {30, 1}};
static const struct model_task outside[] = {{10, 0}, {20, 0}, {30, 1}, {25, 2}};
static const struct model_task lent[] = {{10, 0}, {20, 0}, {30, 1}, {40, 0}};
static const struct model_task apart[] = {{10, 0}, {20, 1}, {30, 2}};

/* Those that begin are ordinary threads before, elsewhere; others are there already. */
static const struct model_task ordinary[] = {{0, 2}, {0, 3}, {0, 4}};
static const struct model_task but_first[] = {{10, 0}, {0, 3}, {0, 4}};
static const struct model_task but_second[] = {{10, 0}, {0, 3}, {30, 0}};
static const struct model_task but_remote[] = {{10, 0}, {0, 3}, {30, 1}};
static const struct model_task but_urgent[] = {{30, 0}, {0, 3}};
static const struct model_task urgent_first[] = {{30, 0}, {20, 0}};

#define PROGRAM(name_, about_, threads_, tasks_, ...)                                       \
    {                                                                                       \
        .name = (name_), .about = (about_), .threads = (threads_), .tasks = (tasks_),       \
        .setup = rt_setup, .thread = rt_thread, .access = rt_access, .stepped = rt_stepped, \
        .killed = rt_killed, .changed = rt_changed, .finished = rt_finished,                \
        .describe = rt_describe, .rechecks = true, .unmarked = true, __VA_ARGS__            \
    }
#define SCRIPT(protocol_, ...)                                  \
    .arg = &(const struct rt_script)                            \
    {                                                           \
        .protocol = FW_RT_##protocol_, .tasks = { __VA_ARGS__ } \
    }

#define CLAIMS(protocol_, ...)                                                  \
    .arg = &(const struct rt_script)                                            \
    {                                                                           \
        .protocol = FW_RT_##protocol_, .claims = true, .tasks = { __VA_ARGS__ } \
    }

#define SHARED(protocol_, ...)                                                  \
    .arg = &(const struct rt_script)                                            \
    {                                                                           \
        .protocol = FW_RT_##protocol_, .shared = true, .tasks = { __VA_ARGS__ } \
    }

/* Tasks that begin and end.  The kernel knows of the state's lock; nobody dies unseen over it. */
#define BEGINS(name_, about_, threads_, tasks_, ...)                                        \
    {                                                                                       \
        .name = (name_), .about = (about_), .threads = (threads_), .tasks = (tasks_),       \
        .setup = rt_setup, .thread = rt_thread, .access = rt_access, .stepped = rt_stepped, \
        .killed = rt_killed, .changed = rt_changed, .finished = rt_finished,                \
        .describe = rt_describe, .own = rt_own, .rechecks = true, __VA_ARGS__               \
    }
#define AS(protocol_, as_, ...)                                              \
    .arg = &(const struct rt_script)                                         \
    {                                                                        \
        .protocol = FW_RT_##protocol_, .as = (as_), .tasks = { __VA_ARGS__ } \
    }

static const struct model_program programs[] = {
    PROGRAM("rt-pcp-two", "a section, and a more urgent one of the same lock", 2, one_cpu,
            SCRIPT(PCP_DU, "ja.A.", "j.a.A.")),
    PROGRAM("rt-pcp-twice", "the same, two jobs of each", 2, one_cpu,
            SCRIPT(PCP_DU, "jaA.jaA.", "jaA.jaA.")),
    PROGRAM("rt-pcp-three", "three tasks, one lock", 3, one_cpu,
            SCRIPT(PCP_DU, "ja.A.", "jaA.", "jaA.")),
    PROGRAM("rt-claim-two", "with restartable sequences, which may be aborted", 2, one_cpu,
            .budget = {.refusals = 2}, CLAIMS(PCP_DU, "ja.A.", "ja.A.")),
    PROGRAM("rt-claim-suspends", "sleeps in its section", 2, one_cpu, .budget = {.refusals = 1},
            CLAIMS(PCP_DU, "jasA.", "jasA.")),
    PROGRAM("rt-claim-three", "the same with three", 3, one_cpu, .budget = {.refusals = 1},
            CLAIMS(PCP_DU, "jaA.", "jbB.", "jaA.")),
    PROGRAM("rt-claim-nested", "nested the other way round", 3, one_cpu, .budget = {.refusals = 1},
            CLAIMS(PCP_DU, "jabBA.", "jb.B.", "jaA.")),
    PROGRAM("rt-claim-kill", "one is killed", 3, one_cpu, .budget = {.kills = 1},
            CLAIMS(PCP_DU, "jaA.", "jbB.", "jaA.")),
    PROGRAM("rt-claim-moved", "both run at the same time, one where it belongs", 2, apart,
            .budget = {.refusals = 1}, .rechecks_are_due = true,
            .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                             .claims = true,
                                             .moved = 3,
                                             .tasks = {"aA.aA.", "aA.aA."}}),
    PROGRAM("rt-claim-ipcp", "immediate ceilings", 3, one_cpu, .budget = {.refusals = 1},
            CLAIMS(IPCP, "ja.A.", "j.", "jaA.")),
    PROGRAM("rt-claim-four", "four tasks, one lock", 4, one_cpu,
            CLAIMS(PCP_DU, "jaA", "jaA", "jaA", "jaA")),
    PROGRAM("rt-claim-again", "both come again, after a look at one word", 2, one_cpu,
            .budget = {.refusals = 1}, CLAIMS(PCP_DU, "jaAaAaA", "jaAaAjaA")),
    PROGRAM("rt-pcp-again", "one comes twice, the second time by the short way", 3, one_cpu,
            SCRIPT(PCP_DU, "jaA", "jaAjaA", "jaA")),
    PROGRAM("rt-pcp-middle", "one in the middle without locks", 3, one_cpu,
            SCRIPT(PCP_DU, "ja.A.", "j.", "j.aA.")),
    PROGRAM("rt-pcp-ceiling", "blocked by the ceiling of a lock that it does not use", 3, one_cpu,
            SCRIPT(PCP_DU, "ja.A.", "jb.B.", "jaA.")),
    PROGRAM("rt-pcp-nested", "nested the other way round", 2, one_cpu,
            SCRIPT(PCP_DU, "jabBA.", "jbaAB.")),
    PROGRAM("rt-pcp-nested-three", "nested, and two others", 3, one_cpu,
            SCRIPT(PCP_DU, "jabBA.", "jbB.", "jaA.")),
    PROGRAM("rt-pcp-suspends", "sleeps in its section", 2, one_cpu,
            SCRIPT(PCP_DU, "jasA.", "jasA.")),
    PROGRAM("rt-pcp-try", "who only tries", 2, one_cpu, SCRIPT(PCP_DU, "jaA.", "jcC.cC.")),
    PROGRAM("rt-pcp-looks", "others come in between any two looks of a decision", 3, one_cpu,
            .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                             .looks = true,
                                             .tasks = {"jaA.", "jbB.", "jaA."}}),
    PROGRAM("rt-pcp-kill", "one is killed", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(PCP_DU, "jaA.", "jaA.aA.")),
    PROGRAM("rt-pcp-kill-ceiling", "one of three is killed, two locks", 3, one_cpu,
            .budget = {.kills = 1}, SCRIPT(PCP_DU, "jaA.", "jbB.", "jaA.")),
    PROGRAM("rt-pcp-moved", "both run at the same time", 2, apart, .rechecks_are_due = true,
            .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                             .moved = 3,
                                             .tasks = {"aA.aA.", "aA.aA."}}),
    PROGRAM("rt-pcp-moved-late", "the same, by tasks that do not know, with two locks", 2, apart,
            .preemptions = 2, .rechecks_are_due = true,
            .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                             .moved = 3,
                                             .unnoticed = true,
                                             .tasks = {"aA", "aAbB"}}),
    PROGRAM("rt-pcp-moved-kill", "the same, one lock, and one of them is killed", 2, apart,
            .preemptions = 2, .budget = {.kills = 1}, .rechecks_are_due = true,
            .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                             .moved = 3,
                                             .unnoticed = true,
                                             .tasks = {"aA", "aA"}}),
    PROGRAM("rt-pcp-moved-three", "one of three was moved, and does not know", 3, two_cpus,
            .preemptions = 2, .rechecks_are_due = true,
            .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                             .moved = 4,
                                             .unnoticed = true,
                                             .tasks = {"aA", "aA", "aA"}}),
    PROGRAM("rt-kernel-two", "the kernel is asked each time", 2, one_cpu,
            SCRIPT(PCP, "ja.A.", "j.a.A.")),
    PROGRAM("rt-kernel-three", "the same with three", 3, one_cpu,
            SCRIPT(PCP, "jaA.", "jbB.", "jaA.")),
    PROGRAM("rt-kernel-kill", "one is killed", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(PCP, "jaA.", "jaA.aA.")),
    PROGRAM("rt-ipcp-two", "one lock", 2, one_cpu, SCRIPT(IPCP, "ja.A.", "ja.A.")),
    PROGRAM("rt-ipcp-middle", "the ceiling holds back one in the middle", 3, one_cpu,
            SCRIPT(IPCP, "ja.A.", "j.", "j.aA.")),
    PROGRAM("rt-ipcp-nested", "nested", 3, one_cpu, SCRIPT(IPCP, "jabBA.", "jb.B.", "ja.A.")),
    PROGRAM("rt-ipcp-kill", "one is killed", 3, one_cpu, .budget = {.kills = 1},
            SCRIPT(IPCP, "jaA.", "j.", "jaA.")),
    PROGRAM("rt-pip-two", "one lock", 2, one_cpu, SCRIPT(PIP, "ja.A.", "ja.A.")),
    PROGRAM("rt-pip-three", "one lock, and one in the middle", 3, one_cpu,
            SCRIPT(PIP, "ja.A.", "j.", "jaA.")),
    PROGRAM("rt-pip-chain", "who waits has what a third waits for", 3, one_cpu,
            SCRIPT(PIP, "ja.A.", "jbaAB.", "jbB.")),
    PROGRAM("rt-pip-kill", "one is killed", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(PIP, "jaA.", "jaA.aA.")),
    PROGRAM("rt-pip-kill-three", "one of three is killed", 3, one_cpu, .budget = {.kills = 1},
            SCRIPT(PIP, "jaA.", "jaA.", "jaA.")),
    PROGRAM("rt-pip-cpus", "one of three is on another CPU", 3, two_cpus,
            SCRIPT(PIP, "jaA.", "jaA.", "jaA.")),
    PROGRAM("rt-mpcp-local", "all on one CPU", 3, one_cpu, SCRIPT(MPCP_DU, "jaA.", "j.", "jaA.")),
    PROGRAM("rt-mpcp-remote", "two CPUs", 2, apart, SCRIPT(MPCP_DU, "jaA.aA.", "jaA.aA.")),
    PROGRAM("rt-mpcp-missed", "the same: a fence may miss a release: two calls", 2, apart,
            .misses = 1, .kernel = "6.1.100-amd64", SCRIPT(MPCP_DU, "jaA", "jaA")),
    PROGRAM("rt-mpcp-held-back", "the section holds another one back", 3, two_cpus,
            .preemptions = 3, SCRIPT(MPCP_DU, "jaA.", "j..", "jaA.")),
    PROGRAM("rt-mpcp-beside", "a section of another lock on the CPU of who waits", 3, two_cpus,
            .preemptions = 3, SCRIPT(MPCP_DU, "jbB.", "jaA.", "aA")),
    PROGRAM("rt-mpcp-kill", "one of two is killed", 2, apart, .budget = {.kills = 1},
            SCRIPT(MPCP_DU, "jaA.", "jaA.")),
    PROGRAM("rt-mpcp-kill-local", "the same on one CPU", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(MPCP_DU, "jaA.", "jaA.aA.")),
    PROGRAM("rt-fmlp-local", "all on one CPU", 3, one_cpu, SCRIPT(FMLP_DU, "jaA.", "j.", "jaA.")),
    PROGRAM("rt-fmlp-held-back", "the section holds another one back", 3, two_cpus,
            .preemptions = 3, SCRIPT(FMLP_DU, "jaA.", "j.", "jaA.")),
    PROGRAM("rt-fmlp-beside", "a section of another lock on the CPU of who waits", 3, two_cpus,
            .preemptions = 3, SCRIPT(FMLP_DU, "jbB.", "jaA.", "aA")),
    PROGRAM("rt-mpcp-queue", "three CPUs: the most urgent one is next", 3, apart, .preemptions = 2,
            SCRIPT(MPCP_DU, "aA", "aA", "aA")),
    PROGRAM("rt-mpcp-shared", "between processes: no plain release", 2, apart,
            SHARED(MPCP_DU, "jaA.aA.", "jaA.aA.")),
    PROGRAM("rt-fmlp-remote", "two CPUs", 2, apart, SCRIPT(FMLP_DU, "jaA.aA.", "jaA.aA.")),
    PROGRAM("rt-fmlp-queue", "three CPUs: the first is next", 3, apart, .preemptions = 2,
            SCRIPT(FMLP_DU, "aA", "aA", "aA")),
    PROGRAM("rt-fmlp-kill", "one of two is killed", 2, apart, .budget = {.kills = 1},
            SCRIPT(FMLP_DU, "jaA.", "jaA.")),
    PROGRAM("rt-fmlp-kill-local", "the same on one CPU", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(FMLP_DU, "jaA.", "jaA.aA.")),
    PROGRAM("rt-fmlp-kill-queue", "one of three is killed", 3, apart, .budget = {.kills = 1},
            .preemptions = 1, SHARED(FMLP_DU, "aA", "aA", "aA")),
    PROGRAM("rt-fmlp-kill-both", "its lock is freed, and that of one who lives is not", 3, two_cpus,
            .budget = {.kills = 1}, .immortal = 6, SHARED(FMLP_DU, "jaA", "jbB", "bB")),
    PROGRAM("rt-mpcp-outside", "one wakes up by itself beside a section that is waited for", 3,
            two_cpus, SCRIPT(MPCP_DU, "jaA", "s--", "aA")),
    PROGRAM("rt-mpcp-outside-local", "the same, all on one CPU", 3, one_cpu,
            SCRIPT(MPCP_DU, "jaA.", "s--", "jaA.")),
    PROGRAM("rt-mpcp-outside-again", "the owner comes again", 3, two_cpus, .preemptions = 3,
            SCRIPT(MPCP_DU, "aAaA-", "s-", "aA")),
    PROGRAM("rt-mpcp-outside-two", "two wait, on two CPUs", 4, outside, .preemptions = 1,
            SHARED(MPCP_DU, "aA", "s-", "aA", "aA")),
    PROGRAM("rt-mpcp-outside-kill", "one is killed", 3, two_cpus, .budget = {.kills = 1},
            .preemptions = 2, SHARED(MPCP_DU, "aA", "s-", "aA")),
    PROGRAM("rt-mpcp-lent", "a more urgent one waits for what the owner needs to leave", 4, lent,
            .preemptions = 1, SHARED(MPCP_DU, "aA", "s-", "aA", "j-")),
    PROGRAM("rt-fmlp-outside", "one wakes up by itself beside a section that is waited for", 3,
            two_cpus, SCRIPT(FMLP_DU, "jaA", "s--", "aA")),
    PROGRAM("rt-fmlp-outside-two", "three come, and are served in turn", 4, outside,
            .preemptions = 1, SHARED(FMLP_DU, "aA", "s-", "aA", "aA")),
    PROGRAM("rt-fmlp-outside-shared", "the same between processes, and comes again", 3, two_cpus,
            SHARED(FMLP_DU, "jaAaA", "s-", "aA")),
    PROGRAM("rt-fmlp-outside-kill", "one is killed", 3, two_cpus, .budget = {.kills = 1},
            .preemptions = 2, SCRIPT(FMLP_DU, "aA", "s-", "aA")),
    PROGRAM("rt-kernel-mpcp", "MPCP: the kernel is asked each time", 3, one_cpu,
            SCRIPT(MPCP, "jaA.", "js.", "jaA.")),
    PROGRAM("rt-kernel-mpcp-cpus", "the section holds back who wakes up by itself", 3, two_cpus,
            SCRIPT(MPCP, "jaA.", "js.", "jaA.")),
    PROGRAM("rt-kernel-mpcp-remote", "two CPUs", 2, apart, SCRIPT(MPCP, "jaA.aA.", "jaA.aA.")),
    PROGRAM("rt-kernel-mpcp-kill", "one of two is killed", 2, apart, .budget = {.kills = 1},
            SCRIPT(MPCP, "jaA.", "jaA.")),
    PROGRAM("rt-kernel-mpcp-kill-local", "the same on one CPU", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(MPCP, "jaA.", "jaA.aA.")),
    PROGRAM("rt-kernel-fmlp", "FMLP+: the kernel is asked each time", 3, one_cpu,
            SCRIPT(FMLP, "jaA.", "js.", "jaA.")),
    PROGRAM("rt-kernel-fmlp-cpus", "the section holds back who wakes up by itself", 3, two_cpus,
            SCRIPT(FMLP, "jaA.", "js.", "jaA.")),
    PROGRAM("rt-kernel-fmlp-remote", "two CPUs", 2, apart, SCRIPT(FMLP, "jaA.aA.", "jaA.aA.")),
    PROGRAM("rt-kernel-fmlp-queue", "three CPUs: the first is next", 3, apart, .preemptions = 2,
            SHARED(FMLP, "aA", "aA", "aA")),
    PROGRAM("rt-kernel-fmlp-kill", "one of two is killed", 2, apart, .budget = {.kills = 1},
            SCRIPT(FMLP, "jaA.", "jaA.")),
    PROGRAM("rt-kernel-fmlp-kill-local", "the same on one CPU", 2, one_cpu, .budget = {.kills = 1},
            SCRIPT(FMLP, "jaA.", "jaA.aA.")),
    BEGINS("rt-begin", "begins beside a section", 2, but_first,
           AS(PCP_DU, one_cpu, "ja.A.", "(a.A.)")),
    BEGINS("rt-begin-ipcp", "the same with immediate ceilings", 2, but_first,
           AS(IPCP, one_cpu, "ja.A.", "(a.A.)")),
    BEGINS("rt-begin-held-back", "a section's ceiling holds back one that begins", 3, but_second,
           AS(IPCP, one_cpu, "jaA.", "(.)", "jaA")),
    BEGINS("rt-begin-quick", "begins beside one that has looked around", 2, but_urgent,
           AS(PCP_DU, urgent_first, "jaAjaA", "(aA)")),
    BEGINS("rt-begin-two", "two begin and end, one sleeps in its section", 2, ordinary,
           AS(PCP_DU, one_cpu, "(aA)", "(asA)")),
    BEGINS("rt-begin-again", "the first comes again, perhaps into the record of the other", 2,
           ordinary, AS(PCP_DU, one_cpu, "(aA)(aA)", "(aA)")),
    BEGINS("rt-begin-kill", "one is killed", 2, ordinary, .budget = {.kills = 1},
           AS(PCP_DU, one_cpu, "(aA)", "(aA)")),
    BEGINS("rt-begin-kill-ipcp", "the same beside a section", 2, but_first, .budget = {.kills = 1},
           AS(IPCP, one_cpu, "jaA.", "(aA.)")),
    BEGINS("rt-begin-remote", "MPCP, two CPUs: beside a section that is waited for", 3, but_remote,
           .preemptions = 2, AS(MPCP_DU, two_cpus, "jaA", "(.)", "aA")),
    BEGINS("rt-begin-raised", "ends after a section in which it was raised", 2, ordinary,
           .preemptions = 2, .deep_preemptions = 3, AS(MPCP_DU, apart, "(aA)", "(aA)")),
    BEGINS("rt-begin-raised-kill", "the same, and one is killed", 2, ordinary, .preemptions = 1,
           .deep_preemptions = 2, .budget = {.kills = 1}, AS(FMLP_DU, apart, "(aA)", "(aA)")),
    BEGINS("rt-end-moved", "they end, and others have moved them before", 2, apart,
           .preemptions = 1, .deep_preemptions = 2, .rechecks_are_due = true,
           .arg = &(const struct rt_script){.protocol = FW_RT_PCP_DU,
                                            .moved = 3,
                                            .unnoticed = true,
                                            .as = one_cpu,
                                            .tasks = {"aA)", "aA)"}}),
};

const struct program_group rt_programs = {"rt", programs, sizeof programs / sizeof *programs};
