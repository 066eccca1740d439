/* SPDX-License-Identifier: MIT */
/*
 * The number of a process's life.  Contract: sys/fork.h.
 *
 * The C library is not told of all forks (_Fork, clone).  So the number lies in a page that the
 * kernel wipes in the child (MADV_WIPEONFORK, Linux 4.14).  A handler of fork(3) does so as well:
 * an old kernel cannot, and an emulator may say that it has and forget it.
 */
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include "sys/fork.h"
#include "sys/map.h"

/* Unknown to old headers. */
enum { WIPE_ON_FORK = 18 };

/* Until there is a page, or where there can be none; 0: a life that has no number yet. */
static uint64_t plain_life[2];
const uint64_t *fw_life_now_ = plain_life;

uint64_t fw_life_(void)
{
    static uint64_t lives; /* so far, here and in all processes that this one was forked from */
    uint64_t *where = (uint64_t *)(uintptr_t)fw_life_now_;
    uint64_t now = fw_load64_relaxed(where);

    if (now == 0) {
        uint64_t next = fw_add64_acq_rel(&lives, 1) + 1;
        if (fw_cas64_relaxed(where, &now, next)) /* none -> the next; another thread may be first */
            now = next;
    }
    return now;
}

static void wipe(void)
{
    uint64_t *life = (uint64_t *)(uintptr_t)fw_life_now_;

    fw_store64_relaxed(life, 0);
    fw_store64_relaxed(life + FW_LIFE_EPOCH_, 0);
}

/* When the library is loaded: no thread has looked yet. */
FW_CONSTRUCTOR static void watch_forks(void)
{
    size_t page = (size_t)getauxval(AT_PAGESZ);
    void *life = NULL;

    fw_map_(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, &life);
    if (life != NULL &&
        fw_system_call_(SYS_madvise, (long)(intptr_t)life, (long)page, WIPE_ON_FORK, 0, 0, 0) == 0)
        fw_life_now_ = (const uint64_t *)life;
    else if (life != NULL)
        fw_unmap_(life, page);
    fw_at_fork_(wipe);
}
