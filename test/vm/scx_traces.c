/* SPDX-License-Identifier: MIT */
/*
 * The paper's scenarios, in a virtual machine: who runs, waits and gets what, in which order.
 * Tasks are released by others at points that matter, not at times; so there is one right order.
 * PCP-DU-PF goes through the library, all others speak to the scheduler themselves.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "library.h"
#include "scx.h"

enum { L, M, N, H, MOST, PAIRS = 200000, PF_PAIRS = 20000 };

/*
 * Scripts: +A and -A lock and unlock, >N releases a task, ~5 computes for 5 ms, ?m computes until m
 * has happened, #2 until two wait for the lock; any other letter happens.  The first task begins.
 */
struct part {
    const char *name;
    unsigned cpu, base;
    const char *lock; /* "": none */
    const char *script;
};

/* Section III: L and H use A, M uses B.  M asks for B, and may not have it; it goes before N. */
static const struct part pcp[MOST] = {{"L", 1, 10, "A", "+Aa>M?m~31>N~52>H?h~33-Az"},
                                      {"M", 1, 20, "B", "m+Bb~3-By"},
                                      {"N", 1, 15, "", "n~3x"},
                                      {"H", 1, 40, "A", "h~3+AA~3-Aw"}};
static const struct part ipcp[MOST] = {{"L", 1, 10, "A", "+Aa>M~31>N~52>H~33-Az"},
                                       {"M", 1, 20, "B", "m+Bb~3-By"},
                                       {"N", 1, 15, "", "n~3x"},
                                       {"H", 1, 40, "A", "h~3+AA~3-Aw"}};
/* Section IV: L is boosted, for all that H is more urgent.  What CPU 1 does comes first. */
static const struct part boosted[MOST] = {{"L", 1, 10, "G", "+Gg>M#1>N#2>H~51-Gz"},
                                          {"M", 0, 22, "G", "+G?zm-G"},
                                          {"N", 0, 31, "G", "+G?zn-G"},
                                          {"H", 1, 40, "", "h~3"}};

static const struct order {
    const char *what;
    enum fw_rt_kind kind; /* NONE: PCP-DU-PF */
    const struct part *parts;
    const char *want;
} orders[] = {{"PCP", FW_RT_KIND_PCP, pcp, "am12h3Awbynxz"},
              {"PCP-DU-PF", FW_RT_KIND_NONE, pcp, "am12h3Awbynxz"},
              {"IPCP", FW_RT_KIND_IPCP, ipcp, "a123hAwmbynxz"},
              {"MPCP", FW_RT_KIND_MPCP, boosted, "g1hznm"},
              {"FMLP+", FW_RT_KIND_FMLP, boosted, "g1hzmn"}};

static sem_t go[MOST], ready;
static const struct order *now;
static fw_rt_group *group;
static unsigned key, lock_g;

struct player {
    struct scx_task raw;
    fw_rt_task *task;
    unsigned lock;
};

static bool is_by_library(void)
{
    return now->kind == FW_RT_KIND_NONE;
}

static void begin(struct player *p, const struct part *part)
{
    struct fw_rt_task_options options = {.cpu = (int)part->cpu, .priority = (int)part->base};

    if (is_by_library()) {
        CHECK_ZERO(fw_rt_task_begin(&p->task, group, &options));
        if (*part->lock != '\0')
            CHECK_ZERO(fw_rt_open(p->task, part->lock, FW_RT_PCP_DU_PF, 0, &p->lock));
        return;
    }
    scx_join(&p->raw, key, part->name, part->cpu, part->base);
    if (*part->lock != '\0')
        scx_check(scx_open(&p->raw, part->lock, now->kind, 0, &p->lock) == 0, "open");
    if (*part->lock == 'G')
        lock_g = p->lock;
}

static void lock(struct player *p)
{
    if (is_by_library())
        CHECK_ZERO(fw_rt_lock(p->task, p->lock));
    else
        scx_check(scx_lock(&p->raw, now->kind, p->lock) == 0, "lock");
}

static void unlock(struct player *p)
{
    if (is_by_library())
        CHECK_ZERO(fw_rt_unlock(p->task, p->lock));
    else
        scx_unlock(&p->raw, now->kind, p->lock);
}

static void end(struct player *p)
{
    if (is_by_library())
        CHECK_ZERO(fw_rt_task_end(p->task));
    else
        scx_leave(&p->raw);
}

static unsigned waiters(void)
{
    return (unsigned)__builtin_popcountll(scx_state()->state.lock[lock_g].waiters);
}

static void *play(void *number)
{
    const struct part *part = &now->parts[(uintptr_t)number];
    struct player p;

    begin(&p, part);
    sem_post(&ready);
    sem_wait(&go[(uintptr_t)number]);
    for (const char *s = part->script; *s != '\0'; s++) {
        if (strchr("+->~?#", *s) == NULL) {
            scx_say(*s);
            continue;
        }
        if (*s == '+')
            lock(&p);
        else if (*s == '-')
            unlock(&p);
        else if (*s == '>')
            sem_post(&go[strchr("LMNH", s[1]) - "LMNH"]);
        else if (*s == '~')
            scx_burn_ms((unsigned)(s[1] - '0'));
        else if (*s == '?')
            SCX_UNTIL(scx_has_said(s[1]));
        else
            SCX_UNTIL(waiters() == (unsigned)(s[1] - '0'));
        s++;
    }
    end(&p);
    return NULL;
}

static void check_order(const struct order *order)
{
    pthread_t threads[MOST];

    now = order;
    key++;
    scx_forget();
    if (is_by_library())
        CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    sem_init(&ready, 0, 0);
    for (uintptr_t i = 0; i < MOST; i++) {
        sem_init(&go[i], 0, 0);
        threads[i] = scx_thread(play, i);
        sem_wait(&ready);
    }
    sem_post(&go[L]);
    for (int i = 0; i < MOST; i++)
        pthread_join(threads[i], NULL);
    scx_check(strcmp(scx_said(), order->want) == 0, "%s: %s expected", order->what, order->want);
    if (is_by_library()) {
        CHECK_ZERO(fw_rt_group_close(group));
        scx_check(scx_state()->counts.closed > 0, "no permit was closed");
    }
    printf("%s: %s\n", order->what, order->want);
}

/* ---- No system call where nobody waits ---- */

static void be_strict(enum fw_rt_kind which)
{
    struct scx_task t;
    unsigned d;

    scx_join(&t, key, "strict", 1, 30);
    scx_check(scx_open(&t, "A", which, 0, &d) == 0, "open A");
    prctl(PR_SET_SECCOMP, 1 /* strict */);
    for (unsigned i = 0; i < PAIRS; i++) {
        scx_lock(&t, which, d);
        scx_unlock(&t, which, d);
    }
    syscall(SYS_exit, 0);
}

static void be_strict_by_library(void)
{
    struct fw_rt_task_options options = {.cpu = 1, .priority = 10};
    fw_rt_task *task;
    unsigned a, b;

    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    CHECK_ZERO(fw_rt_task_begin(&task, group, &options));
    CHECK_ZERO(fw_rt_open(task, "A", FW_RT_PCP_DU_PF, 0, &a));
    CHECK_ZERO(fw_rt_open(task, "B", FW_RT_PCP_DU_PF, 0, &b));
    prctl(PR_SET_SECCOMP, 1 /* strict */);
    for (unsigned i = 0; i < PF_PAIRS; i++)
        if (fw_rt_lock(task, a) != 0 || fw_rt_lock(task, b) != 0 || fw_rt_unlock(task, b) != 0 ||
            fw_rt_unlock(task, a) != 0)
            syscall(SYS_exit, 1);
    syscall(SYS_exit, 0);
}

static void check_strict(enum fw_rt_kind which)
{
    pid_t child;

    key++;
    child = fork();
    if (child == 0 && which == FW_RT_KIND_NONE)
        be_strict_by_library();
    if (child == 0)
        be_strict(which);
    scx_finish(child);
}

int main(void)
{
    bool has_permits;

    scx_need_vm();
    alarm(60);
    scx_start();
    has_permits = scx_state()->permits != 0;
    if (!has_permits)
        printf("no PCP-DU-PF: no permits: %s\n", (const char *)scx_state()->no_permits);
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i].kind != FW_RT_KIND_NONE || has_permits)
            check_order(&orders[i]);
    for (unsigned which = FW_RT_KIND_IPCP; which <= FW_RT_KIND_FMLP; which++)
        check_strict((enum fw_rt_kind)which);
    if (has_permits)
        check_strict(FW_RT_KIND_NONE);
    printf("no system call in %u pairs of each kind\n", (unsigned)PAIRS);
    scx_stop();
    return 0;
}
