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

#define PROGRAM(called, on, ...) \
    SCRIPTED(rt_hooks, called, __VA_ARGS__, .tasks = (on), .rechecks = true, .unmarked = true)
/* The records of the dead are marked, and only then their locks are handed on. */
#define MARKED(called, on, ...)                                                     \
    SCRIPTED(rt_marked_hooks, called, __VA_ARGS__, .tasks = (on), .rechecks = true, \
             .unmarked = true, KILLS(1))
#define WITH(...) WITH_OPTIONS(rt_script, __VA_ARGS__)
#define OF(protocol_) WITH(.protocol = FW_RT_##protocol_)
#define CLAIMS(protocol_) WITH(.protocol = FW_RT_##protocol_, .claims = true)
#define SHARED(protocol_) WITH(.protocol = FW_RT_##protocol_, .shared = true)

/* Tasks that begin and end.  The kernel knows of the state's lock; nobody dies unseen over it. */
#define BEGINS(called, on, ...) \
    SCRIPTED(rt_begin_hooks, called, __VA_ARGS__, .tasks = (on), .rechecks = true)
#define AS(protocol_, as_) WITH(.protocol = FW_RT_##protocol_, .as = (as_))
#define CLAIMS_AS(protocol_, as_) WITH(.protocol = FW_RT_##protocol_, .claims = true, .as = (as_))

static const struct model_program programs[] = {
    PROGRAM("rt-pcp-two", one_cpu, "ja.A. | j.a.A.", OF(PCP_DU),
            ABOUT("a section, and a more urgent one of the same lock")),
    PROGRAM("rt-pcp-twice", one_cpu, "jaA.jaA. | jaA.jaA.", OF(PCP_DU),
            ABOUT("the same, two jobs of each")),
    PROGRAM("rt-pcp-three", one_cpu, "ja.A. | jaA. | jaA.", OF(PCP_DU)),
    PROGRAM("rt-claim-two", one_cpu, "ja.A. | ja.A.", REFUSALS(2), CLAIMS(PCP_DU),
            ABOUT("with restartable sequences, which may be aborted")),
    PROGRAM("rt-claim-suspends", one_cpu, "jasA. | jasA.", REFUSALS(1), CLAIMS(PCP_DU)),
    PROGRAM("rt-claim-three", one_cpu, "jaA. | jbB. | jaA.", REFUSALS(1), CLAIMS(PCP_DU)),
    PROGRAM("rt-claim-nested", one_cpu, "jabBA. | jb.B. | jaA.", REFUSALS(1), CLAIMS(PCP_DU),
            ABOUT("nested the other way round")),
    PROGRAM("rt-claim-kill", one_cpu, "jaA. | jbB. | jaA.", KILLS(1), CLAIMS(PCP_DU)),
    PROGRAM("rt-claim-moved", apart, "aA.aA. | aA.aA.", REFUSALS(1), .rechecks_are_due = true,
            WITH(.protocol = FW_RT_PCP_DU, .claims = true, .moved = 3),
            ABOUT("both run at the same time, one where it belongs")),
    PROGRAM("rt-claim-ipcp", one_cpu, "ja.A. | j. | jaA.", REFUSALS(1), CLAIMS(IPCP)),
    PROGRAM("rt-claim-four", one_cpu, "jaA | jaA | jaA | jaA", CLAIMS(PCP_DU)),
    PROGRAM("rt-claim-again", one_cpu, "jaAaAaA | jaAaAjaA", REFUSALS(1), CLAIMS(PCP_DU),
            ABOUT("both come again, after a look at one word")),
    PROGRAM("rt-pcp-again", one_cpu, "jaA | jaAjaA | jaA", OF(PCP_DU),
            ABOUT("one comes twice, the second time by the short way")),
    PROGRAM("rt-pcp-middle", one_cpu, "ja.A. | j. | j.aA.", OF(PCP_DU),
            ABOUT("one in the middle without locks")),
    PROGRAM("rt-pcp-ceiling", one_cpu, "ja.A. | jb.B. | jaA.", OF(PCP_DU),
            ABOUT("blocked by the ceiling of a lock that it does not use")),
    PROGRAM("rt-pcp-nested", one_cpu, "jabBA. | jbaAB.", OF(PCP_DU),
            ABOUT("nested the other way round")),
    PROGRAM("rt-pcp-nested-three", one_cpu, "jabBA. | jbB. | jaA.", OF(PCP_DU)),
    PROGRAM("rt-pcp-suspends", one_cpu, "jasA. | jasA.", OF(PCP_DU)),
    PROGRAM("rt-pcp-try", one_cpu, "jaA. | jcC.cC.", OF(PCP_DU)),
    PROGRAM("rt-pcp-looks", one_cpu, "jaA. | jbB. | jaA.",
            WITH(.protocol = FW_RT_PCP_DU, .looks = true),
            ABOUT("others come in between any two looks of a decision")),
    PROGRAM("rt-pcp-kill", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(PCP_DU)),
    PROGRAM("rt-pcp-kill-ceiling", one_cpu, "jaA. | jbB. | jaA.", KILLS(1), OF(PCP_DU)),
    PROGRAM("rt-pcp-moved", apart, "aA.aA. | aA.aA.", .rechecks_are_due = true,
            WITH(.protocol = FW_RT_PCP_DU, .moved = 3), ABOUT("both run at the same time")),
    PROGRAM("rt-pcp-moved-late", apart, "aA | aAbB", BOUND(2, 0), .rechecks_are_due = true,
            WITH(.protocol = FW_RT_PCP_DU, .moved = 3, .unnoticed = true),
            ABOUT("the same, by tasks that do not know, with two locks")),
    PROGRAM("rt-pcp-moved-kill", apart, "aA | aA", BOUND(2, 0), KILLS(1), .rechecks_are_due = true,
            WITH(.protocol = FW_RT_PCP_DU, .moved = 3, .unnoticed = true),
            ABOUT("the same, one lock, and one of them is killed")),
    PROGRAM("rt-pcp-moved-three", two_cpus, "aA | aA | aA", BOUND(2, 0), .rechecks_are_due = true,
            WITH(.protocol = FW_RT_PCP_DU, .moved = 4, .unnoticed = true),
            ABOUT("one of three was moved, and does not know")),
    PROGRAM("rt-kernel-two", one_cpu, "ja.A. | j.a.A.", OF(PCP),
            ABOUT("the kernel is asked each time")),
    PROGRAM("rt-kernel-three", one_cpu, "jaA. | jbB. | jaA.", OF(PCP)),
    PROGRAM("rt-kernel-kill", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(PCP)),
    PROGRAM("rt-ipcp-two", one_cpu, "ja.A. | ja.A.", OF(IPCP)),
    PROGRAM("rt-ipcp-middle", one_cpu, "ja.A. | j. | j.aA.", OF(IPCP),
            ABOUT("the ceiling holds back one in the middle")),
    PROGRAM("rt-ipcp-nested", one_cpu, "jabBA. | jb.B. | ja.A.", OF(IPCP)),
    PROGRAM("rt-ipcp-kill", one_cpu, "jaA. | j. | jaA.", KILLS(1), OF(IPCP)),
    PROGRAM("rt-pip-two", one_cpu, "ja.A. | ja.A.", OF(PIP)),
    PROGRAM("rt-pip-three", one_cpu, "ja.A. | j. | jaA.", OF(PIP),
            ABOUT("one lock, and one in the middle")),
    PROGRAM("rt-pip-chain", one_cpu, "ja.A. | jbaAB. | jbB.", OF(PIP),
            ABOUT("who waits has what a third waits for")),
    PROGRAM("rt-pip-kill", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(PIP)),
    PROGRAM("rt-pip-kill-three", one_cpu, "jaA. | jaA. | jaA.", KILLS(1), OF(PIP)),
    MARKED("rt-pcp-marked", one_cpu, "jaA. | jaA.aA.", OF(PCP_DU),
           ABOUT("the kernel marks the dead one first, then hands its locks on")),
    MARKED("rt-ipcp-marked", one_cpu, "jaA. | jaA.", OF(IPCP)),
    MARKED("rt-mpcp-marked", apart, "jaA. | jaA.", OF(MPCP_DU)),
    MARKED("rt-fmlp-marked", one_cpu, "jaA. | jaA.aA.", OF(FMLP_DU)),
    MARKED("rt-pip-marked", one_cpu, "jaA. | jaA. | jaA.", OF(PIP)),
    MARKED("rt-pip-marked-cpus", two_cpus, "aA | aA | aA", OF(PIP)),
    PROGRAM("rt-pip-cpus", two_cpus, "jaA. | jaA. | jaA.", OF(PIP),
            ABOUT("one of three is on another CPU")),
    PROGRAM("rt-mpcp-local", one_cpu, "jaA. | j. | jaA.", OF(MPCP_DU)),
    PROGRAM("rt-mpcp-remote", apart, "jaA.aA. | jaA.aA.", OF(MPCP_DU)),
    PROGRAM("rt-mpcp-missed", apart, "jaA | jaA", .misses = 1, .kernel = "6.1.100-amd64",
            OF(MPCP_DU), ABOUT("the same: a fence may miss a release: two calls")),
    PROGRAM("rt-mpcp-held-back", two_cpus, "jaA. | j.. | jaA.", BOUND(3, 0), OF(MPCP_DU),
            ABOUT("the section holds another one back")),
    PROGRAM("rt-mpcp-beside", two_cpus, "jbB. | jaA. | aA", BOUND(3, 0), OF(MPCP_DU),
            ABOUT("a section of another lock on the CPU of who waits")),
    PROGRAM("rt-mpcp-kill", apart, "jaA. | jaA.", KILLS(1), OF(MPCP_DU)),
    PROGRAM("rt-mpcp-kill-local", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(MPCP_DU)),
    PROGRAM("rt-fmlp-local", one_cpu, "jaA. | j. | jaA.", OF(FMLP_DU)),
    PROGRAM("rt-fmlp-held-back", two_cpus, "jaA. | j. | jaA.", BOUND(3, 0), OF(FMLP_DU),
            ABOUT("the section holds another one back")),
    PROGRAM("rt-fmlp-beside", two_cpus, "jbB. | jaA. | aA", BOUND(3, 0), OF(FMLP_DU),
            ABOUT("a section of another lock on the CPU of who waits")),
    PROGRAM("rt-mpcp-queue", apart, "aA | aA | aA", BOUND(2, 0), OF(MPCP_DU),
            ABOUT("three CPUs: the most urgent one is next")),
    PROGRAM("rt-mpcp-shared", apart, "jaA.aA. | jaA.aA.", SHARED(MPCP_DU),
            ABOUT("between processes: no plain release")),
    PROGRAM("rt-fmlp-remote", apart, "jaA.aA. | jaA.aA.", OF(FMLP_DU)),
    PROGRAM("rt-fmlp-queue", apart, "aA | aA | aA", BOUND(2, 0), OF(FMLP_DU),
            ABOUT("three CPUs: the first is next")),
    PROGRAM("rt-fmlp-kill", apart, "jaA. | jaA.", KILLS(1), OF(FMLP_DU)),
    PROGRAM("rt-fmlp-kill-local", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(FMLP_DU)),
    PROGRAM("rt-fmlp-kill-queue", apart, "aA | aA | aA", KILLS(1), BOUND(1, 0), SHARED(FMLP_DU)),
    PROGRAM("rt-fmlp-kill-both", two_cpus, "jaA | jbB | bB", KILLS(1), .immortal = 6,
            SHARED(FMLP_DU), ABOUT("its lock is freed, and that of one who lives is not")),
    PROGRAM("rt-mpcp-outside", two_cpus, "jaA | s-- | aA", OF(MPCP_DU),
            ABOUT("one wakes up by itself beside a section that is waited for")),
    PROGRAM("rt-mpcp-outside-local", one_cpu, "jaA. | s-- | jaA.", OF(MPCP_DU)),
    PROGRAM("rt-mpcp-outside-again", two_cpus, "aAaA- | s- | aA", BOUND(3, 0), OF(MPCP_DU),
            ABOUT("the owner comes again")),
    PROGRAM("rt-mpcp-outside-two", outside, "aA | s- | aA | aA", BOUND(1, 0), SHARED(MPCP_DU)),
    PROGRAM("rt-mpcp-outside-kill", two_cpus, "aA | s- | aA", KILLS(1), BOUND(2, 0),
            SHARED(MPCP_DU)),
    PROGRAM("rt-mpcp-lent", lent, "aA | s- | aA | j-", BOUND(1, 0), SHARED(MPCP_DU),
            ABOUT("a more urgent one waits for what the owner needs to leave")),
    PROGRAM("rt-fmlp-outside", two_cpus, "jaA | s-- | aA", OF(FMLP_DU),
            ABOUT("one wakes up by itself beside a section that is waited for")),
    PROGRAM("rt-fmlp-outside-two", outside, "aA | s- | aA | aA", BOUND(1, 0), SHARED(FMLP_DU),
            ABOUT("three come, and are served in turn")),
    PROGRAM("rt-fmlp-outside-shared", two_cpus, "jaAaA | s- | aA", SHARED(FMLP_DU),
            ABOUT("the same between processes, and comes again")),
    PROGRAM("rt-fmlp-outside-kill", two_cpus, "aA | s- | aA", KILLS(1), BOUND(2, 0), OF(FMLP_DU)),
    PROGRAM("rt-kernel-mpcp", one_cpu, "jaA. | js. | jaA.", OF(MPCP),
            ABOUT("MPCP: the kernel is asked each time")),
    PROGRAM("rt-kernel-mpcp-cpus", two_cpus, "jaA. | js. | jaA.", OF(MPCP),
            ABOUT("the section holds back who wakes up by itself")),
    PROGRAM("rt-kernel-mpcp-remote", apart, "jaA.aA. | jaA.aA.", OF(MPCP)),
    PROGRAM("rt-kernel-mpcp-kill", apart, "jaA. | jaA.", KILLS(1), OF(MPCP)),
    PROGRAM("rt-kernel-mpcp-kill-local", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(MPCP)),
    PROGRAM("rt-kernel-fmlp", one_cpu, "jaA. | js. | jaA.", OF(FMLP),
            ABOUT("FMLP+: the kernel is asked each time")),
    PROGRAM("rt-kernel-fmlp-cpus", two_cpus, "jaA. | js. | jaA.", OF(FMLP),
            ABOUT("the section holds back who wakes up by itself")),
    PROGRAM("rt-kernel-fmlp-remote", apart, "jaA.aA. | jaA.aA.", OF(FMLP)),
    PROGRAM("rt-kernel-fmlp-queue", apart, "aA | aA | aA", BOUND(2, 0), SHARED(FMLP),
            ABOUT("three CPUs: the first is next")),
    PROGRAM("rt-kernel-fmlp-kill", apart, "jaA. | jaA.", KILLS(1), OF(FMLP)),
    PROGRAM("rt-kernel-fmlp-kill-local", one_cpu, "jaA. | jaA.aA.", KILLS(1), OF(FMLP)),
    BEGINS("rt-begin", but_first, "ja.A. | (a.A.)", AS(PCP_DU, one_cpu),
           ABOUT("begins beside a section")),
    BEGINS("rt-begin-ipcp", but_first, "ja.A. | (a.A.)", AS(IPCP, one_cpu)),
    BEGINS("rt-begin-held-back", but_second, "jaA. | (.) | jaA", AS(IPCP, one_cpu),
           ABOUT("a section's ceiling holds back one that begins")),
    BEGINS("rt-begin-quick", but_urgent, "jaAjaA | (aA)", AS(PCP_DU, urgent_first),
           ABOUT("begins beside one that has looked around")),
    BEGINS("rt-begin-passed", but_first, "aA | (asA)", CLAIMS_AS(PCP_DU, one_cpu),
           ABOUT("begins, and sleeps in its section, while the other one looks around")),
    BEGINS("rt-begin-two", ordinary, "(aA) | (asA)", AS(PCP_DU, one_cpu),
           ABOUT("two begin and end, one sleeps in its section")),
    BEGINS("rt-begin-again", ordinary, "(aA)(aA) | (aA)", AS(PCP_DU, one_cpu),
           ABOUT("the first comes again, perhaps into the record of the other")),
    BEGINS("rt-begin-claims", ordinary, "(aA)(aAaA) | (asA)", REFUSALS(1),
           CLAIMS_AS(PCP_DU, one_cpu), ABOUT("the same with restartable sequences")),
    BEGINS("rt-begin-claims-kill", but_first, "jaAaA | (asA)", KILLS(1), CLAIMS_AS(IPCP, one_cpu),
           ABOUT("and with a death")),
    BEGINS("rt-begin-kill", ordinary, "(aA) | (aA)", KILLS(1), AS(PCP_DU, one_cpu)),
    BEGINS("rt-begin-kill-ipcp", but_first, "jaA. | (aA.)", KILLS(1), AS(IPCP, one_cpu),
           ABOUT("the same beside a section")),
    BEGINS("rt-begin-remote", but_remote, "jaA | (.) | aA", BOUND(2, 0), AS(MPCP_DU, two_cpus),
           ABOUT("MPCP, two CPUs: beside a section that is waited for")),
    BEGINS("rt-begin-raised", ordinary, "(aA) | (aA)", BOUND(2, 3), AS(MPCP_DU, apart),
           ABOUT("ends after a section in which it was raised")),
    BEGINS("rt-begin-raised-kill", ordinary, "(aA) | (aA)", BOUND(1, 2), KILLS(1),
           AS(FMLP_DU, apart)),
    BEGINS("rt-end-moved", apart, "aA) | aA)", BOUND(1, 2), .rechecks_are_due = true,
           WITH(.protocol = FW_RT_PCP_DU, .moved = 3, .unnoticed = true, .as = one_cpu),
           ABOUT("they end, and others have moved them before")),
};

GROUP(rt, "rt");
