/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_LIMIT_S = 100 };

static const struct stress_test *const files[] = {
    any_tests,       await_tests,  await_mutex_tests, await_region_tests, brlock_tests,
    cond_ring_tests, fork_tests,   freed_tests,       mutex_tests,        once_tests,
    refused_tests,   rwlock_tests, sem_tests};

const struct stress_test *stress_test;
static char **arguments;
static pthread_barrier_t between_batches;
static bool is_last_batch;
static uint64_t forks;

const fw_wait_policy *some_policy(struct worker *me)
{
    static const fw_wait_policy policies[] = {{FW_WAIT_DEFAULT, 0},
                                              {FW_WAIT_BLOCK, 0},
                                              {FW_WAIT_SPIN_THEN_BLOCK, 2000},
                                              {FW_WAIT_YIELD, 0}};

    return &policies[draw(me, 4)];
}

void release(struct worker *me, struct guarded *g, uint32_t one_in)
{
    if (draw(me, one_in) == 0)
        fw_mutex_unlock_fair(&g->lock);
    else
        fw_mutex_unlock(&g->lock);
}

void stress_batches(struct worker *me, int n, void (*make)(struct worker *me, int i),
                    void (*use_it)(struct worker *me, int i))
{
    bool last;

    do {
        if (me->index == 0) {
            for (int i = 0; i < n; i++)
                make(me, i);
            is_last_batch = stress_is_over();
        }
        pthread_barrier_wait(&between_batches);
        last = is_last_batch;
        for (int i = 0; i < n; i++) {
            if (draw(me, 8) == 0)
                burn(draw(me, 3000));
            use_it(me, i);
        }
        did_a_turn(me);
        pthread_barrier_wait(&between_batches);
    } while (!last);
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *new_page(void)
{
    void *page =
        mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        stress_fail("no memory", NULL);
    return page;
}

void drop_page(void *page)
{
    munmap(page, page_size());
}

static void stuck(int signal)
{
    (void)signal;
    stress_fail("a child is stuck", NULL);
}

pid_t stress_fork(void)
{
    pid_t child = fork();

    if (child == 0) {
        signal(SIGALRM, stuck);
        alarm(CHILD_LIMIT_S);
    }
    return child;
}

void stress_forked(pid_t child)
{
    int status;

    if (child < 0)
        return;
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "child %d: wait status %x\n", (int)child, (unsigned)status);
        stress_fail("a child failed", NULL);
    }
    __atomic_fetch_add(&forks, 1, __ATOMIC_RELAXED);
}

bool refuse_system_call(unsigned number, int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int restart_without_help(int how)
{
    if (getenv("FURWOCK_STRESS_AGAIN") != NULL)
        return EXIT_SUCCESS;
    if (how == NO_RSEQ)
        setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
    else if (!refuse_system_call(SYS_membarrier, ENOSYS))
        return SKIPPED;
    setenv("FURWOCK_STRESS_AGAIN", "1", 1);
    execv("/proc/self/exe", arguments);
    perror("execv");
    return EXIT_FAILURE;
}

static const struct stress_test *find(const char *name)
{
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (const struct stress_test *t = files[f]; t->name != NULL; t++)
            if (strcmp(t->name, name) == 0)
                return t;
    return NULL;
}

static int list(void)
{
    fprintf(stderr, "Usage: test_stress NAME [OPTION...]\n");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (const struct stress_test *t = files[f]; t->name != NULL; t++)
            fprintf(stderr, "  %-16s %s\n", t->name, t->about);
    return 2;
}

int main(int argc, char **argv)
{
    const struct stress_test *t = argc > 1 ? find(argv[1]) : NULL;
    int status = EXIT_SUCCESS;

    if (t == NULL)
        return list();
    stress_test = t;
    arguments = argv;
    stress.about = t->about;
    stress.threads = t->threads ? t->threads : stress.threads;
    stress.seconds = t->seconds > 0 ? t->seconds : stress.seconds;
    stress.turns = t->turns;
    stress.locks = t->locks;
    stress.n_locks = t->n_locks;
    stress_begin(argc - 1, argv + 1);
    if (stress.threads < t->least_threads)
        stress.threads = t->least_threads;
    if (t->most_threads != 0 && stress.threads > t->most_threads)
        stress.threads = t->most_threads;
    if (t->begin != NULL)
        status = t->begin();
    if (status != EXIT_SUCCESS)
        return status;
    pthread_barrier_init(&between_batches, NULL, stress.threads);
    stress_run(stress.threads, t->body);
    pthread_barrier_destroy(&between_batches);
    if (t->end != NULL)
        t->end();
    if (t->has_to_fork && forks == 0)
        stress_fail("nobody has forked", NULL);
    return stress_end();
}
