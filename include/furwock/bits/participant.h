/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_PARTICIPANT_H
#define FURWOCK_BITS_PARTICIPANT_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/api.h>
#include <furwock/bits/atomic.h>

FW_BEGIN_DECLS

/*
 * The calling thread's participant slot in the region of an object. Internal. A thread gets a slot
 * in a region by its first call on an object there (src/ipc/region/participant.h).
 */
struct fw_ipc_mapping_;
struct fw_ipc_participant_;

struct fw_ipc_me_ {
    const struct fw_ipc_mapping_ *mapping;
    struct fw_ipc_participant_ *participant;
    uint64_t id;    /* the holder, as stored in lock words */
    uint64_t flags; /* of the region */
};

/*
 * What a thread remembers of the region that it used last, as long as the epoch is the same: a
 * number that changes with every region that is opened or closed, and with every fork.  In the
 * static TLS block, also where the library is loaded late.
 */
struct fw_ipc_self_ {
    uintptr_t base;
    size_t size;
    uint64_t epoch;
    struct fw_ipc_me_ me;
};

FW_API extern __thread struct fw_ipc_self_ fw_ipc_self_ FW_ABI_NAME_(fw_ipc_self)
    __attribute__((tls_model("initial-exec")));

/* The second word there is the epoch; 0 right after a fork. */
FW_API extern const uint64_t *fw_life_now_ FW_ABI_NAME_(fw_life_now);
enum { FW_LIFE_EPOCH_ = 1 };

static inline uint64_t fw_ipc_epoch_now_(void)
{
    return fw_load64_relaxed(fw_life_now_ + FW_LIFE_EPOCH_);
}

/* The slot that was used last, if the object lies in its region; NULL: must be looked up. */
static inline const struct fw_ipc_me_ *fw_ipc_known_(const void *object)
{
    const struct fw_ipc_self_ *s = &fw_ipc_self_;

    if (__builtin_expect((uintptr_t)object - s->base < s->size && s->epoch == fw_ipc_epoch_now_(),
                         1))
        return &s->me;
    return NULL;
}

FW_END_DECLS

#endif
