/* SPDX-License-Identifier: MIT */
/*
 * The plain release step by step, and the kernel below the fence.  What a fence is made of, and how
 * many calls of the kernel it takes, is the business of src/sys/x86_64/release.c, which runs here
 * as it is shipped, or with a fault in it.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "../engine/model.h"
#include "../faults.h"
#include "../kernel.h"
#include "../programs/release_calls.h"
#include "atomic.h"
#include "process.h"
#include "subject.h"
#include "sys/release.h"
#include "sys_call_arch.h"

/* The C library has registered its threads' areas. */
extern const ptrdiff_t subject_rseq_offset;
extern const unsigned int subject_rseq_size;
const ptrdiff_t subject_rseq_offset = 8;
const unsigned int subject_rseq_size = 32;

static bool has_sequences(void)
{
    return !model_program->generic && *release_in_use()->offset != 0;
}

static bool leave_section(void)
{
    model_threads[model_current].in_section = 0;
    return false;
}

/* In the order of the shipped sequence: the owner half, the waiters half, the store. */
bool fw_release_plain_(uint64_t *state, uint32_t id)
{
    fw_half_ *owner = (fw_half_ *)state;
    fw_half_ *waiters = owner + 1;

    if (!has_sequences())
        return false;
    if (model_op(OP_LOOK_OWNER, owner, 4, 0, 0, 0, 0) != id)
        return leave_section();
    if (!fault_is(FAULT_LOOK_AT_OWNER_ONLY) &&
        model_op(OP_LOOK_WAITERS, waiters, 4, 0, 0, 0, 0) != 0)
        return leave_section();
    return model_op(OP_COMMIT, owner, 4, 0, 0, 0, 0) != KERNEL_ABORTED;
}

/* In the order of the shipped sequence: the waiters half, the store. */
bool fw_release_quiet_(uint64_t *state)
{
    fw_half_ *owner = (fw_half_ *)state;

    if (!has_sequences())
        return false;
    if (!fault_is(FAULT_LOOK_AT_OWNER_ONLY) &&
        model_op(OP_LOOK_OWNER, owner + 1, 4, 0, 0, 0, 0) != 0)
        return leave_section();
    return model_op(OP_COMMIT, owner, 4, 0, 0, 0, 0) != KERNEL_ABORTED;
}

int fw_release_fence_(void)
{
    if (model_program->generic || fault_is(FAULT_NO_FENCE))
        return 0;
    return release_in_use()->fence();
}

/* --- The kernel below it -------------------------------------------------------------------- */

/* While the library is loaded; before the first program, too, by its constructors. */
static bool is_loading = true;

void subject_load_library(void)
{
    char *const environment[] = {(char *)(uintptr_t)model_program->environment, NULL};

    process_forget();
    is_loading = true;
    *release_in_use()->offset = 0;
    release_in_use()->begin(environment);
    is_loading = false;
}

static long tell_release(struct utsname *system)
{
    const char *release = model_program != NULL ? model_program->kernel : NULL;

    strcpy(system->release, release != NULL ? release : "6.18.0");
    return 0;
}

/* A kernel that refuses a thread's fence refuses to register it, too. */
static long membarrier(long command)
{
    if (is_loading)
        return 0;
    if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ)
        return (int)model_op(OP_FENCE_ALL, NULL, 0, 0, 0, 0, 0);
    return -EPERM;
}

long subject_system_call(long number, long a)
{
    if (number == SYS_uname)
        return tell_release((struct utsname *)(intptr_t)a);
    return number == SYS_membarrier ? membarrier(a) : -ENOSYS;
}
