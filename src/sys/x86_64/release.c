/* SPDX-License-Identifier: MIT */
/*
 * May this process release plainly, and how to stop those who are at it: sys/release.h.
 *
 * glibc 2.35 and later registers struct rseq for every thread (and aborts the program if that fails
 * for a later thread); its absence shows as a size of 0, or as missing symbols with other C
 * libraries.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys_call_arch.h>
#include <unistd.h>

#include "sys/environment.h"
#include "sys/fences.h"
#include "sys/fork.h"
#include "sys/release.h"

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

ptrdiff_t fw_rseq_offset_;

/* Not changed later. */
static unsigned fences = FW_FENCES_MOST_;

/* 0 or -errno. */
static int membarrier(int command)
{
    return (int)fw_system_call_(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

/*
 * As many as the kernel needs, or as FURWOCK_FENCES says, one digit: 0 for no plain release at all.
 * (A program that gets rights by being executed is not told.)
 */
static unsigned find_fences(char *const *environment)
{
    const char *wish = fw_environment_(environment, "FURWOCK_FENCES=");
    struct utsname system = {.release = ""};

    if (wish != NULL && wish[0] >= '0' && wish[0] <= '0' + FW_FENCES_MOST_ && wish[1] == '\0' &&
        getauxval(AT_SECURE) == 0)
        return (unsigned)(wish[0] - '0');
    fw_system_call_(SYS_uname, (long)(intptr_t)&system, 0, 0, 0, 0, 0);
    return fw_fences_needed_(system.release);
}

void fw_release_begin_(char *const *environment)
{
    fences = find_fences(environment);
    /* F:fences-sequences-anyway */
    if (fences == 0 || &__rseq_offset == NULL || &__rseq_size == NULL || __rseq_size == 0)
        return;
    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ) != 0)
        return;
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) != 0)
        return;
    __atomic_store_n(&fw_rseq_offset_, __rseq_offset, __ATOMIC_RELEASE);
}

/*
 * Before this ran, and where it finds something missing, every release is an atomic instruction.
 * Without arguments: with link-time optimisation, and in other C libraries, constructors get none.
 */
FW_CONSTRUCTOR static void begin(void)
{
    if (environ != NULL) /* or it is too early: the drop-in begins by itself */
        fw_release_begin_(environ);
}

static int fence_once(void)
{
    int error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
    if (error == -EPERM) {
        /* Not registered: a process that shares no memory with the one that was. */
        error = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
        if (error == 0)
            error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
    }
    return error;
}

int fw_release_fence_(void)
{
    int error = 0;

    if (__atomic_load_n(&fw_rseq_offset_, __ATOMIC_ACQUIRE) == 0)
        return 0;
    for (unsigned i = 0; i < fences && error == 0; i++) /* F:fences-once */
        error = fence_once();
    return error; /* F:fences-hides-refusal */
}
