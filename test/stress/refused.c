/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/release.h"

/*
 * A kernel that does not help, or no longer: modes
 *   early    membarrier is refused before the library is loaded (a system call filter, then exec)
 *   late     membarrier is refused after the library has begun to rely on it
 *   no-rseq  the C library does not register restartable sequences (a tunable, then exec)
 * The locks must work as ever.
 */

enum { N_LOCKS = 2, SKIPPED = 77 };

static struct guarded locks[N_LOCKS];

static bool refuse_membarrier(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs this program again; the second time it finds the variable set. */
static int run_again(char **argv)
{
    setenv("FURWOCK_STRESS_AGAIN", "1", 1);
    execv("/proc/self/exe", argv);
    perror("execv");
    return EXIT_FAILURE;
}

static bool releases_plainly(void)
{
    for (int i = 0; i < 100; i++) {
        uint64_t state = 0x101;

        if (fw_release_plain_(&state, 0x101))
            return true;
    }
    return false;
}

/* Mixed use with real sleeps, so that an overlooked waiter would be one for ever. */
static void body(struct worker *me)
{
    do {
        struct guarded *g = &locks[draw(me, 3) == 0];
        fw_deadline soon = in_ns(draw(me, 200000));

        did_a_turn(me);
        if (draw(me, 4) == 0) {
            if (fw_mutex_timedlock(&g->lock, &soon) != 0)
                continue;
        } else {
            fw_mutex_lock(&g->lock);
        }
        use(g);
        if (draw(me, 32) == 0)
            sleep_us(draw(me, 100));
        if (draw(me, 4) == 0)
            fw_mutex_unlock_fair(&g->lock);
        else
            fw_mutex_unlock(&g->lock);
        if (draw(me, 64) == 0)
            sleep_us(draw(me, 200));
    } while (!stress_is_over());
}

/* Brings the process into the state that the mode names, or returns an exit status. */
static int prepare(char **argv)
{
    bool again = getenv("FURWOCK_STRESS_AGAIN") != NULL;

    if (strcmp(stress.mode, "late") == 0) {
        bool relied = releases_plainly();

        if (!refuse_membarrier(EPERM))
            return SKIPPED;
        if (relied && fw_release_fence_() == 0)
            stress_fail("the fence says that it worked", NULL);
        return EXIT_SUCCESS;
    }
    if (!again) {
        if (strcmp(stress.mode, "no-rseq") == 0)
            setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
        else if (!refuse_membarrier(ENOSYS))
            return SKIPPED;
        return run_again(argv);
    }
    if (releases_plainly())
        stress_fail("releases plainly where the kernel does not help", NULL);
    if (fw_release_fence_() != 0)
        stress_fail("the fence fails where nobody needs it", NULL);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status;

    stress.about = "A kernel that refuses to help: early, late or no-rseq";
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress.mode = "late";
    stress_begin(argc, argv);
    if (strcmp(stress.mode, "early") && strcmp(stress.mode, "late") &&
        strcmp(stress.mode, "no-rseq")) {
        fprintf(stderr, "the modes are early, late and no-rseq\n");
        return 2;
    }
    status = prepare(argv);
    if (status != EXIT_SUCCESS)
        return status;
    stress_run(stress.threads, body);
    return stress_end();
}
