/* SPDX-License-Identifier: MIT */
/*
 * The paper's scenarios, in a virtual machine: who runs, waits and gets what, in which order.
 * Tasks are released by others at points that matter, not at times; so there is one right order.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scx.h"

enum { L, M, N, H, MOST };

static sem_t go[MOST], ready;
static pthread_t threads[MOST];
static enum fw_rt_kind kind;
static unsigned key;

static void begin(struct scx_task *t, const char *name, unsigned cpu, unsigned base)
{
    scx_join(t, key, name, cpu, base);
}

static void run_all(void *(*const *all)(void *), const char *want, const char *what)
{
    key++;
    scx_forget();
    sem_init(&ready, 0, 0);
    for (int i = 0; i < MOST; i++) {
        sem_init(&go[i], 0, 0);
        scx_check(pthread_create(&threads[i], NULL, all[i], NULL) == 0, "no thread");
        sem_wait(&ready);
    }
    sem_post(&go[L]);
    for (int i = 0; i < MOST; i++)
        pthread_join(threads[i], NULL);
    scx_check(strcmp(scx_said(), want) == 0, "%s: %s expected", what, want);
    printf("%s: %s\n", what, want);
}

static void get_ready(int i)
{
    sem_post(&ready);
    sem_wait(&go[i]);
}

/* ---- PCP (section III): one CPU, lock A used by L and H, lock B by M ---- */

/* a: has A.  Then others are released one by one, and it is its turn again.  z: is done. */
static void *pcp_low(void *unused)
{
    struct scx_task t;
    unsigned a;

    begin(&t, "L", 1, 10);
    scx_check(scx_open(&t, "A", kind, 0, &a) == 0, "open A");
    get_ready(L);
    scx_check(scx_lock(&t, kind, a) == 0, "lock A");
    scx_say('a');
    sem_post(&go[M]);
    if (kind == FW_RT_KIND_PCP)
        SCX_UNTIL(scx_has_said('m')); /* it asks for B, and may not have it */
    scx_burn_ms(3);
    scx_say('1');
    sem_post(&go[N]);
    scx_burn_ms(5); /* for M, which is more urgent than N */
    scx_say('2');
    sem_post(&go[H]);
    if (kind == FW_RT_KIND_PCP)
        SCX_UNTIL(scx_has_said('h'));
    scx_burn_ms(3);
    scx_say('3');
    scx_unlock(&t, kind, a);
    scx_say('z');
    scx_leave(&t);
    return unused;
}

static void *pcp_middle(void *unused)
{
    struct scx_task t;
    unsigned b;

    begin(&t, "M", 1, 20);
    scx_check(scx_open(&t, "B", kind, 0, &b) == 0, "open B");
    get_ready(M);
    scx_say('m');
    scx_check(scx_lock(&t, kind, b) == 0, "lock B");
    scx_say('b');
    scx_burn_ms(3);
    scx_unlock(&t, kind, b);
    scx_say('y');
    scx_leave(&t);
    return unused;
}

static void *pcp_no_locks(void *unused)
{
    struct scx_task t;

    begin(&t, "N", 1, 15);
    get_ready(N);
    scx_say('n');
    scx_burn_ms(3);
    scx_say('x');
    scx_leave(&t);
    return unused;
}

static void *pcp_high(void *unused)
{
    struct scx_task t;
    unsigned a;

    begin(&t, "H", 1, 40);
    scx_check(scx_open(&t, "A", kind, 0, &a) == 0, "open A");
    get_ready(H);
    scx_say('h');
    scx_burn_ms(3);
    scx_check(scx_lock(&t, kind, a) == 0, "lock A");
    scx_say('A');
    scx_burn_ms(3);
    scx_unlock(&t, kind, a);
    scx_say('w');
    scx_leave(&t);
    return unused;
}

static void test_pcp(void)
{
    static void *(*const all[])(void *) = {pcp_low, pcp_middle, pcp_no_locks, pcp_high};

    kind = FW_RT_KIND_PCP;
    run_all(all, "am12h3Awbynxz", "PCP");
    kind = FW_RT_KIND_IPCP;
    run_all(all, "a123hAwmbynxz", "IPCP");
}

/* ---- MPCP and FMLP+ (section IV): L and H on CPU 1, M and N wait for G on CPU 0 ---- */

static unsigned lock_g;

static bool waits(unsigned n)
{
    return (unsigned)__builtin_popcountll(scx_state()->state.lock[lock_g].waiters) == n;
}

static void *boosted_low(void *unused)
{
    struct scx_task t;

    begin(&t, "L", 1, 10);
    scx_check(scx_open(&t, "G", kind, 0, &lock_g) == 0, "open G");
    get_ready(L);
    scx_check(scx_lock(&t, kind, lock_g) == 0, "lock G");
    scx_say('g');
    sem_post(&go[M]);
    SCX_UNTIL(waits(1));
    sem_post(&go[N]);
    SCX_UNTIL(waits(2));
    sem_post(&go[H]);
    scx_burn_ms(5); /* boosted: for all that H is more urgent */
    scx_say('1');
    scx_unlock(&t, kind, lock_g);
    scx_say('z');
    scx_leave(&t);
    return unused;
}

static void boosted_remote(int i, unsigned base, char event)
{
    struct scx_task t;
    unsigned g;

    begin(&t, "R", 0, base);
    scx_check(scx_open(&t, "G", kind, 0, &g) == 0, "open G");
    get_ready(i);
    scx_check(scx_lock(&t, kind, g) == 0, "lock G");
    SCX_UNTIL(scx_has_said('z')); /* what CPU 1 does comes first */
    scx_say(event);
    scx_unlock(&t, kind, g);
    scx_leave(&t);
}

static void *boosted_first(void *unused)
{
    boosted_remote(M, 22, 'm');
    return unused;
}

static void *boosted_second(void *unused)
{
    boosted_remote(N, 31, 'n');
    return unused;
}

static void *boosted_high(void *unused)
{
    struct scx_task t;

    begin(&t, "H", 1, 40);
    get_ready(H);
    scx_say('h');
    scx_burn_ms(3);
    scx_leave(&t);
    return unused;
}

static void test_boosted(void)
{
    static void *(*const all[])(void *) = {boosted_low, boosted_first, boosted_second,
                                           boosted_high};

    kind = FW_RT_KIND_MPCP;
    run_all(all, "g1hznm", "MPCP");
    kind = FW_RT_KIND_FMLP;
    run_all(all, "g1hzmn", "FMLP+");
}

/* ---- No system call where nobody waits ---- */

static void try_strict(enum fw_rt_kind which)
{
    int status = 0;
    pid_t child;

    key++;
    child = fork();
    if (child == 0) {
        struct scx_task t;
        unsigned d;

        scx_join(&t, key, "strict", 1, 30);
        scx_check(scx_open(&t, "A", which, 0, &d) == 0, "open A");
        prctl(PR_SET_SECCOMP, 1 /* strict */);
        for (unsigned i = 0; i < 200000; i++) {
            scx_lock(&t, which, d);
            scx_unlock(&t, which, d);
        }
        syscall(SYS_exit, 0);
    }
    waitpid(child, &status, 0);
    scx_check(status == 0, "kind %u under strict seccomp: status %x", (unsigned)which,
              (unsigned)status);
}

int main(void)
{
    scx_need_vm();
    alarm(60);
    scx_start();
    test_pcp();
    test_boosted();
    for (unsigned which = FW_RT_KIND_IPCP; which <= FW_RT_KIND_FMLP; which++)
        try_strict((enum fw_rt_kind)which);
    printf("no system call in 200000 pairs of each kind\n");
    scx_stop();
    return 0;
}
