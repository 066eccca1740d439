/* SPDX-License-Identifier: MIT */
/*
 * PCP-DU-PF in the program: the permit, and what becomes of the fault where it is closed
 * (bpf/sched/permits.bpf.c).
 *
 * The handler knows the one instruction that reads permits, and lets the thread go on where it
 * asks the scheduler: in no signal handler.  Any other fault goes to the handler that was
 * there before.
 */
#include "rt/scx/user.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sys/pinned_map.h"

_Static_assert(FW_RT_SCX_PERMIT_PROTOCOL == FW_RT_PCP_DU_PF, "the kernel knows it by its number");

static struct sigaction before;

#ifdef __x86_64__

/* Where permits are read, and where to go on: relative to each number's own address. */
extern const int32_t __start_fw_rt_permits[] __attribute__((visibility("hidden")));
extern const int32_t __stop_fw_rt_permits[] __attribute__((visibility("hidden")));

__attribute__((noinline)) static bool is_open(const volatile char *permit)
{
    __asm__ goto("1: testb %%al, (%0)\n"
                 ".pushsection fw_rt_permits, \"a\"\n"
                 ".balign 4\n"
                 ".long 1b - ., %l[closed] - .\n"
                 ".popsection" ::"r"(permit)
                 : "memory", "cc"
                 : closed);
    return true;
closed:
    return false;
}

/* Was it a permit?  Then the thread goes on elsewhere. */
static bool divert(void *context)
{
    greg_t *next = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    const int32_t *at;

    for (at = __start_fw_rt_permits; at < __stop_fw_rt_permits; at += 2)
        if ((greg_t)((intptr_t)at + at[0]) == *next) {
            *next = (greg_t)((intptr_t)&at[1] + at[1]);
            return true;
        }
    return false;
}

enum { HAS_PERMITS = true };
#else
static bool is_open(const volatile char *permit)
{
    (void)permit;
    return false;
}

static bool divert(void *context)
{
    (void)context;
    return false;
}

enum { HAS_PERMITS = false };
#endif

bool fw_rt_scx_read_permit_(struct fw_rt_task *t, uint32_t desc)
{
    uint64_t *marked = &t->page->marked;

    fw_store64_relaxed(marked, fw_load64_relaxed(marked) | fw_rt_bit(desc));
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* all that follows is on this CPU, or after the end */
    return is_open(t->group->scx->permits + fw_rt_scx_slot_(t) * FW_RT_SCX_PAGE_SIZE);
}

void fw_rt_scx_unmark_(struct fw_rt_task *t, uint32_t desc)
{
    uint64_t *marked = &t->page->marked;

    fw_store64_release(marked, fw_load64_relaxed(marked) & ~fw_rt_bit(desc));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* --- The handler ------------------------------------------------------------------------------ */

static void on_fault(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    if (divert(context))
        return;
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else if (info->si_code > 0 || before.sa_handler == SIG_DFL) {
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (info->si_code <= 0) /* sent; else it happens again */
            raise(number);
    }
    errno = saved;
}

static void install(void)
{
    struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigemptyset(&own.sa_mask);
    sigaction(SIGSEGV, NULL, &before);
    sigaction(SIGSEGV, &own, NULL);
}

static int check_signal(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sigaction now;
    sigset_t blocked;

    pthread_once(&once, install);
    if (sigaction(SIGSEGV, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO) ||
        now.sa_sigaction != on_fault)
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF: the program has replaced the library's handler "
                                    "for SIGSEGV");
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, SIGSEGV))
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF: the thread blocks SIGSEGV, by which it is told "
                                    "that it may not lock");
    return 0;
}

/* --- The permits ------------------------------------------------------------------------------ */

static int map_permits(struct fw_rt_scx *scx)
{
    size_t size = FW_RT_TASKS * FW_RT_SCX_PAGE_SIZE;
    char path[64];
    void *permits;
    int fd;

    snprintf(path, sizeof path, FW_RT_SCX_PERMITS_OF, (unsigned)scx->user);
    fd = (int)fw_pinned_map_open_(path);
    if (fd < 0)
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF: %s: %s", path, strerror(-fd));
    permits = mmap((void *)(uintptr_t)scx->state->permits, size, PROT_READ,
                   MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    close(fd);
    if (permits == MAP_FAILED)
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF: no memory for the permits at %#llx: %s",
                           (unsigned long long)scx->state->permits, strerror(errno));
    madvise(permits, size, MADV_DONTFORK);
    scx->permits = permits;
    return 0;
}

void fw_rt_scx_unmap_permits_(struct fw_rt_scx *scx)
{
    if (scx->permits != NULL)
        munmap((void *)(uintptr_t)scx->permits, FW_RT_TASKS * FW_RT_SCX_PAGE_SIZE);
}

int fw_rt_scx_need_permits_(struct fw_rt_task *t)
{
    static pthread_mutex_t sched_lock = PTHREAD_MUTEX_INITIALIZER;
    struct fw_rt_scx *scx = t->group->scx;
    int error;

    if (!HAS_PERMITS)
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF is for x86-64 only");
    if (scx->state->permits == 0)
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF: %.*s", (int)sizeof scx->state->no_permits,
                           scx->state->no_permits);
    error = check_signal();
    if (error != 0)
        return error;
    pthread_mutex_lock(&sched_lock);
    if (scx->permits == NULL)
        error = map_permits(scx);
    pthread_mutex_unlock(&sched_lock);
    return error;
}
