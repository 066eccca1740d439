/* SPDX-License-Identifier: MIT */
/*
 * Users other than root, in a virtual machine: a task that is granted priorities, CPUs and a number
 * of tasks has those and no more; a task that is not is refused with a sentence; nobody reads or
 * writes another user's pages, writes the state, or ends the scheduler.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/rt.h>

#include "bpf/sched/loader.h"
#include "scx.h"

enum { ADA = 1000, BOB = 1001, NOBODY = 1002, LEAST = 5, MOST = 10, TASKS = 2, USERS = 2 };

static fw_rt_group *group;
static pthread_barrier_t all_begun, all_refused;

/* The call's answer, with a sentence if it is an error. */
static void expect(int want, int got, const char *what)
{
    scx_check(got == want, "user %u: %s: %s, not %s (%s)", (unsigned)getuid(), what, strerror(got),
              strerror(want), fw_rt_strerror());
    scx_check(got == 0 || fw_rt_strerror()[0] != '\0', "%s: no sentence", what);
    if (got != 0)
        printf("user %u: %s: %s\n", (unsigned)getuid(), what, fw_rt_strerror());
}

static int begin(fw_rt_task **task, int cpu, int priority)
{
    struct fw_rt_task_options options = {.cpu = cpu, .priority = priority};

    return fw_rt_task_begin(task, group, &options);
}

static void try_begin(int want, int cpu, int priority, const char *what)
{
    fw_rt_task *task;
    int error = begin(&task, cpu, priority);

    expect(want, error, what);
    if (error == 0)
        expect(0, fw_rt_task_end(task), "end");
}

static void use_locks(fw_rt_task *task)
{
    static const fw_rt_protocol all[] = {FW_RT_PCP,  FW_RT_PCP_DU,  FW_RT_IPCP,   FW_RT_MPCP,
                                         FW_RT_FMLP, FW_RT_MPCP_DU, FW_RT_FMLP_DU};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned lock;

        expect(0, fw_rt_open(task, fw_rt_protocol_name(all[i]), all[i], 0, &lock), "open");
        expect(0, fw_rt_lock(task, lock), "lock");
        expect(0, fw_rt_unlock(task, lock), "unlock");
        expect(0, fw_rt_trylock(task, lock), "trylock");
        expect(0, fw_rt_unlock(task, lock), "unlock");
    }
}

static void *one_of_many(void *unused)
{
    fw_rt_task *task;

    expect(0, begin(&task, 1, LEAST), "one of as many as are granted");
    pthread_barrier_wait(&all_begun);
    pthread_barrier_wait(&all_refused);
    expect(0, fw_rt_task_end(task), "end");
    return unused;
}

static void too_many(void)
{
    pthread_t threads[TASKS];

    pthread_barrier_init(&all_begun, NULL, TASKS + 1);
    pthread_barrier_init(&all_refused, NULL, TASKS + 1);
    for (unsigned i = 0; i < TASKS; i++)
        threads[i] = scx_thread(one_of_many, 0);
    pthread_barrier_wait(&all_begun);
    try_begin(EAGAIN, 1, LEAST, "one task more than granted");
    pthread_barrier_wait(&all_refused);
    for (unsigned i = 0; i < TASKS; i++)
        pthread_join(threads[i], NULL);
    try_begin(0, 1, LEAST, "once they are gone");
}

/* What is not this user's. */
static void keep_out(unsigned other)
{
    struct fw_rt_scx_options options = {.n = 0};
    char path[64], text[300];
    int fd;

    snprintf(path, sizeof path, FW_RT_SCX_PAGES_OF, other);
    scx_check(scx_get(path) < 0 && errno == EACCES, "pages of user %u: %s", other, strerror(errno));
    scx_check(scx_get(FW_RT_SCX_LINK) < 0, "the link can be opened");
    scx_check(unlink(FW_RT_SCX_LINK) < 0, "the link can be removed");
    scx_check(unlink(path) < 0 && rename(path, FW_RT_SCX_MOUNT "/x") < 0, "%s goes away", path);
    scx_check(umount(FW_RT_SCX_MOUNT) < 0, "it can be unmounted");
    fd = scx_get(FW_RT_SCX_STATE);
    scx_check(fd >= 0, "the state: %s", strerror(errno));
    scx_check(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED,
              "the state can be written");
    close(fd);
    scx_check(fw_rt_scx_stop(text, sizeof text) == FW_BPF_NOT_PERMITTED, "stop: %s", text);
    printf("user %u: stop: %s\n", (unsigned)getuid(), text);
    scx_check(fw_rt_scx_start(&options, text, sizeof text) == FW_BPF_NOT_PERMITTED, "start: %s",
              text);
    scx_check(fw_rt_scx_possible(text, sizeof text) == FW_BPF_NOTHING_TO_DO, "%s", text);
}

/* Her share, of which some are in use. */
static void too_many_locks(fw_rt_task *task)
{
    const struct fw_rt_scx_state *w = fw_rt_scx_state_map();
    unsigned most = FW_RT_LOCKS / (USERS + 1), lock, n = 0;
    char name[16];
    int error;

    scx_check(w != NULL && w->grant[1].uid == ADA && w->grant[1].locks == most, "her share");
    scx_check(w->grant[2].tasks == FW_RT_TASKS / (USERS + 1) - 1,
              "the other user's share of slots");
    do {
        snprintf(name, sizeof name, "more-%u", n++);
        error = fw_rt_open(task, name, FW_RT_PCP_DU, 0, &lock);
    } while (error == 0);
    expect(ENOSPC, error, "one lock more than granted");
    expect(0, fw_rt_open(task, "more-0", FW_RT_PCP_DU, 0, &lock), "one that she has");
    scx_check(n - 1 < most && w->state.locks == most, "%u locks, %u of all", n - 1, w->state.locks);
}

static void as_ada(void)
{
    fw_rt_task *task;
    unsigned lock;

    expect(0, fw_rt_group_open(&group, NULL, FW_RT_TIER_B), "group");
    try_begin(EPERM, 1, MOST + 1, "above the grant");
    try_begin(EPERM, 1, LEAST - 1, "below the grant");
    try_begin(EPERM, 0, LEAST, "a CPU that is not granted");
    expect(0, begin(&task, 1, MOST), "begin");
    expect(EPERM, fw_rt_open(task, "high", FW_RT_PCP_DU, MOST + 1, &lock), "ceiling above");
    use_locks(task);
    too_many_locks(task);
    expect(0, fw_rt_task_end(task), "end");
    too_many();
    expect(0, fw_rt_group_close(group), "close");
    keep_out(0);
    keep_out(BOB);
}

static void as_bob(void)
{
    fw_rt_task *task;

    expect(0, fw_rt_group_open(&group, NULL, FW_RT_TIER_B), "group");
    expect(0, begin(&task, 0, FW_RT_PRIORITY_MAX), "all is granted");
    use_locks(task);
    expect(0, fw_rt_task_end(task), "end");
    keep_out(ADA);
}

static void as_nobody(void)
{
    expect(EPERM, fw_rt_group_open(&group, NULL, FW_RT_TIER_B), "group");
    keep_out(ADA);
}

static void as(uid_t user, void (*what)(void))
{
    pid_t child = fork();

    if (child == 0) {
        scx_check(setgroups(0, NULL) == 0 && setgid(user) == 0 && setuid(user) == 0, "user: %s",
                  strerror(errno));
        what();
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    scx_finish(child);
}

int main(void)
{
    struct fw_rt_scx_grant grants[USERS] = {
        {.uid = ADA, .lowest = LEAST, .highest = MOST, .tasks = TASKS, .cpus = {2}},
        {.uid = BOB, .lowest = 1, .highest = FW_RT_PRIORITY_MAX, .cpus = {3}},
    };
    struct fw_rt_scx_options options = {.grants = grants, .n = USERS};

    scx_need_vm();
    alarm(60);
    scx_start_for(&options);
    as(ADA, as_ada);
    as(BOB, as_bob);
    as(NOBODY, as_nobody);
    as(ADA, as_ada); /* what was left there has been cleared away */
    scx_stop();
    return EXIT_SUCCESS;
}
