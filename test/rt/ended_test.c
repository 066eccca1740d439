/* SPDX-License-Identifier: MIT */
/*
 * Tier B after its scheduler's end: processes whose scheduler is gone, all made up, lock as they
 * did.  Nobody is in a section with another one, some die in theirs, and those who are left go on;
 * under ceilings also where sections are nested the wrong way round.
 *
 *     test_rt_ended [ROUNDS]
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "rt/scx/user.h"

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            fprintf(stderr, "%s:%d: not: %s\n", __FILE__, __LINE__, #condition); \
            _exit(EXIT_FAILURE);                                                 \
        }                                                                        \
    } while (0)

enum { TASKS = 5, LOCKS = 3, CPU = 0, GROUP = 77, USER = 5, SLOT = 7, DESC = 11 };
enum { UPPER, LOWER, LINE };

static struct shared {
    struct fw_rt_scx_state scheduler;
    struct fw_rt_scx_page pages[FW_RT_SCX_PAGES];
    struct fw_rt_state state;
    uint32_t inside[LOCKS], entries[LOCKS], deaths[LOCKS], joined;
} * shared;

static struct fw_rt_scx scx;
static struct fw_rt_group group;

/* Numbers of the scheduler that are not the group's own. */
static void make_up(void)
{
    static const uint32_t kinds[LOCKS] = {FW_RT_KIND_PCP, FW_RT_KIND_PCP, FW_RT_KIND_MPCP};

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    scx = (struct fw_rt_scx){.state = &shared->scheduler,
                             .pages = shared->pages,
                             .shared = (void *)&shared->pages[FW_RT_SCX_SHARED],
                             .user = USER,
                             .group = GROUP};
    group = (struct fw_rt_group){.state = &shared->state, .shared = FW_FUTEX_SHARED, .scx = &scx};
    for (uint32_t d = 0; d < LOCKS; d++) {
        scx.desc[d] = (uint8_t)(DESC + d);
        shared->state.lock[d].kind = shared->scheduler.state.lock[DESC + d].kind = kinds[d];
        shared->state.lock[d].protocol = kinds[d] == FW_RT_KIND_PCP ? FW_RT_PCP_DU : FW_RT_MPCP_DU;
        shared->scheduler.state.lock[DESC + d].ceiling = TASKS;
    }
}

static void begin(struct fw_rt_task *t, uint32_t number)
{
    uint32_t slot = SLOT + number;
    struct fw_rt_task_record *known = &shared->scheduler.state.task[slot];

    *t = (struct fw_rt_task){.record = &shared->state.task[number],
                             .state = &shared->state,
                             .group = &group,
                             .slot = number,
                             .tid = (uint32_t)syscall(SYS_gettid),
                             .shared = FW_FUTEX_SHARED,
                             .page = &shared->pages[slot]};
    t->record->base = known->base = number + 1;
    t->record->cpu = known->cpu = CPU;
    t->page->tid = t->tid;
    t->page->spare[FW_RT_SCX_STARTED] = fw_rt_started_(t->tid);
    shared->scheduler.uid[slot] = USER;
    known->more[0] = GROUP;
    fw_store32_release(&known->state, FW_RT_LIVE);
    fw_add32_acq_rel(&shared->joined, 1);
    while (fw_load32_acquire(&shared->joined) < TASKS) /* they all are there at the end */
        sched_yield();
}

static void enter(struct fw_rt_task *t, uint32_t d)
{
    int error = fw_rt_scx_lock_(t, d, false);

    CHECK(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD) {
        fw_add32_relaxed(&shared->deaths[d], 1);
        fw_store32_relaxed(&shared->inside[d], 0);
    }
    CHECK(fw_add32_acq_rel(&shared->inside[d], 1) == 0); /* exclusion */
    shared->entries[d]++;
}

static void leave(struct fw_rt_task *t, uint32_t d)
{
    CHECK(fw_add32_acq_rel(&shared->inside[d], (uint32_t)-1) == 1);
    CHECK(fw_rt_scx_unlock_(t, d) == 0);
}

static void try_one(struct fw_rt_task *t, uint32_t d)
{
    int error = fw_rt_scx_lock_(t, d, true);

    if (error == EBUSY)
        return;
    CHECK(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD) {
        fw_add32_relaxed(&shared->deaths[d], 1);
        fw_store32_relaxed(&shared->inside[d], 0);
    }
    CHECK(fw_add32_acq_rel(&shared->inside[d], 1) == 0);
    leave(t, d);
}

static bool is_all_heard(void)
{
    return fw_load32_relaxed(&shared->deaths[UPPER]) != 0 &&
           fw_load32_relaxed(&shared->deaths[LOWER]) != 0 &&
           fw_load32_relaxed(&shared->deaths[LINE]) != 0;
}

static void work(uint32_t number, unsigned rounds)
{
    struct fw_rt_task t;

    begin(&t, number);
    for (unsigned i = 0; i < rounds || !is_all_heard(); i++) {
        uint32_t outer = (i + number) % 2; /* circles, were it not for the ceilings */
        enter(&t, outer);
        enter(&t, 1 - outer);
        if (number == 1 && i == rounds / 2)
            raise(SIGKILL);
        leave(&t, 1 - outer);
        leave(&t, outer);
        enter(&t, LINE);
        if (number == 3 && i == rounds / 2)
            raise(SIGKILL);
        leave(&t, LINE);
        try_one(&t, i % LOCKS);
    }
    _exit(EXIT_SUCCESS);
}

/* Returns how many were killed. */
static unsigned wait_for_all(void)
{
    unsigned killed = 0;

    for (unsigned i = 0; i < TASKS; i++) {
        int status = 0;
        CHECK(wait(&status) > 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            killed++;
        else
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
    }
    return killed;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 300;

    make_up();
    for (uint32_t number = 0; number < TASKS; number++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* none outlives a test that is killed */
            alarm(50);
            work(number, rounds);
        }
    }
    CHECK(wait_for_all() == 2);
    /* Those who were left have heard of each death once. */
    CHECK(shared->deaths[UPPER] == 1 && shared->deaths[LOWER] == 1 && shared->deaths[LINE] == 1);
    printf("entries %u %u %u\n", shared->entries[UPPER], shared->entries[LOWER],
           shared->entries[LINE]);
    return EXIT_SUCCESS;
}
