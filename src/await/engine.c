/* SPDX-License-Identifier: MIT */
/* Which engine a loop has.  Contract: engine.h. */
#include "await/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "sys/fork.h"
#include "sys/readable.h"

/* Best first. */
static const struct fw_engine_kind_ *const kinds[] = {&fw_engine_uring_, &fw_engine_thread_};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Far longer than a helper needs to be started and woken on a busy machine. */
#define ROUND_NS UINT64_C(2000000000)
#define LOOK_NS 1000000 /* a millisecond */

const struct fw_engine_kind_ *fw_engine_kind_(uint32_t which)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i]->number == which)
            return kinds[i];
    return NULL;
}

/* The wait that has come back, at some time; NULL: none did. */
static struct fw_kernel_wait_ *await_one(struct fw_engine_ *e, uint64_t ns)
{
    struct fw_kernel_wait_ *back = NULL;

    for (uint64_t waited = 0; back == NULL && waited < ns; waited += LOOK_NS)
        if (fw_readable_within_(e->fd, LOOK_NS))
            back = fw_engine_reap_(e);
    return back;
}

/* Arms, wakes, reaps: 0, or ENOTSUP.  Of a round that has failed the wait may be armed still. */
static int go_round(struct fw_engine_ *e, struct fw_kernel_wait_ *wait, uint32_t *word)
{
    struct fw_kernel_wait_ *back;

    fw_engine_arm_(e, wait, word, 0);
    if (!fw_engine_flush_(e))
        return ENOTSUP;
    back = fw_engine_reap_(e);
    if (back != NULL) /* the operation is refused, or not known */
        return ENOTSUP;
    for (uint64_t waited = 0; waited < ROUND_NS; waited += LOOK_NS) {
        if (fw_futex_wake(word, 1, FW_FUTEX_SHARED) == 1)
            break; /* a helper needs some time to get there */
        if (fw_readable_within_(e->fd, LOOK_NS))
            break; /* it has been told to look */
    }
    back = await_one(e, ROUND_NS);
    return back == wait && back->told == FW_TOLD_LOOK_ ? 0 : ENOTSUP;
}

int fw_engine_try_(uint32_t which)
{
    const struct fw_engine_kind_ *kind = fw_engine_kind_(which);
    struct fw_kernel_wait_ wait = {0};
    uint32_t word = 0;
    struct fw_engine_ *e;
    int error = kind != NULL ? kind->make(&e) : EINVAL;

    if (error != 0)
        return error;
    error = go_round(e, &wait, &word);
    kind->end(e);
    return error;
}

/* The first that works.  Found out once: what a process may do hardly changes, but with a fork. */
static uint32_t first_that_works(void)
{
    static uint64_t life;
    static uint32_t found;

    if (fw_load64_acquire(&life) == fw_life_())
        return fw_load32_relaxed(&found);
    for (int i = 0; i < KINDS; i++)
        if (i == KINDS - 1 || fw_engine_try_(kinds[i]->number) == 0) {
            fw_store32_relaxed(&found, kinds[i]->number);
            break;
        }
    fw_store64_release(&life, fw_life_());
    return fw_load32_relaxed(&found);
}

static bool is_named(const char *value, uint32_t *which)
{
    if (value == NULL || *value == 0 || strcmp(value, "auto") == 0) {
        *which = FW_ENGINE_AUTO_;
        return true;
    }
    for (int i = 0; i < KINDS; i++)
        if (strcmp(value, kinds[i]->name) == 0) {
            *which = kinds[i]->number;
            return true;
        }
    return false;
}

int fw_engine_open_(struct fw_engine_ **e, uint32_t which)
{
    const struct fw_engine_kind_ *kind;

    if (which == FW_ENGINE_AUTO_ && !is_named(secure_getenv("FURWOCK_LOOP_ENGINE"), &which))
        return EINVAL;
    if (which == FW_ENGINE_AUTO_)
        which = first_that_works();
    kind = fw_engine_kind_(which);
    return kind != NULL ? kind->make(e) : EINVAL;
}
