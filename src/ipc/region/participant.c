/* SPDX-License-Identifier: MIT */
/*
 * Threads as participants of regions.  Contract: participant.h; states of a slot, and SLOT1 to
 * SLOT4: layout.h.
 *
 * To claim a slot:
 *   1  point the robust list's pending entry at the slot's word: the kernel has it in view
 *   2  life: free or DIED -> thread id with the next generation         (SLOT2)
 *   3  store the thread's own ids; clear what the thread before waited for
 *   4  enter the word into the robust list, and withdraw the pending entry
 * A thread that dies before 2 has taken nothing.  After it the kernel finds the thread's id in the
 * word, by the pending entry or by the list, and marks it.  No lock names the generation before 4.
 */
#include "ipc/region/participant.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>
#include <furwock/ipc/region.h>

#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/origin.h"

__thread struct fw_ipc_self_ fw_ipc_self_ __attribute__((tls_model("initial-exec")));

/*
 * What a thread knows of its registrations: by the index of the mapping the slot, and one more; 0:
 * none.  It is one as long as the process's own record of the slot (SLOT4) says so: not in a forked
 * child, and not in another region at the same index.  (The rest is there, and not here, since all
 * copies of the library in a process share what there is of static TLS.)
 */
static __thread uint16_t known[FW_RANGES] __attribute__((tls_model("initial-exec")));

_Static_assert(FW_IPC_PARTICIPANTS_MAX < UINT16_MAX,
               "there is a number for each slot, and one for none");

/* SLOT4: the thread of this process that has the slot; 0: there is none any more. */
static uint32_t thread_in(const struct fw_ipc_mapping_ *mapping, uint32_t slot)
{
    uint32_t thread = fw_ipc_slot_thread_(mapping, slot);

    if (thread == 0 || fw_robust_is_here_(thread)) /* F:ipc-participant-counts-dead */
        return thread;
    __atomic_compare_exchange_n(&mapping->own_slots[slot].thread, &thread, 0, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return 0;
}

static uint32_t thread_of(uint64_t life)
{
    return (uint32_t)life;
}

static uint64_t slot_generation(uint64_t life_or_holder)
{
    return life_or_holder >> 32;
}

static bool is_free(uint64_t life)
{
    return (thread_of(life) & FW_ROBUST_OWNER) == 0;
}

/* The half of which the kernel knows. */
static uint32_t *robust_word(struct fw_ipc_participant_ *m)
{
    return (uint32_t *)(void *)&m->life;
}

static void raise_used(struct fw_ipc_head_ *head, uint32_t used)
{
    uint32_t now = fw_load32_relaxed(&head->participants_used); /* F:ipc-participant-used-torn */

    while (now < used && !fw_cas32_relaxed(&head->participants_used, &now, used)) /* n -> more */
        ;
}

/* Linux has process and thread ids of up to 22 bits. */
enum { ID_BITS = 22, TAG_BITS = 20 };
#define ID_MASK ((UINT64_C(1) << ID_BITS) - 1)
#define TAG_MASK ((UINT64_C(1) << TAG_BITS) - 1)

/* Keeps the ids of the thread that filled in the slot last. */
static void remember_former(struct fw_ipc_participant_ *m)
{
    uint64_t nth = fw_load64_relaxed(&m->introduced);
    uint64_t ids = fw_load64_relaxed(&m->ids);

    fw_store64_relaxed(&m->former[nth % FW_IPC_FORMER], (ids >> 32) << (ID_BITS + TAG_BITS) |
                                                            (ids & ID_MASK) << TAG_BITS |
                                                            (nth & TAG_MASK));
}

static uint64_t former_ids(const struct fw_ipc_participant_ *m, uint64_t nth)
{
    uint64_t former = fw_load64_relaxed(&m->former[nth % FW_IPC_FORMER]);

    if ((former & TAG_MASK) != (nth & TAG_MASK))
        return 0;
    return (former >> (ID_BITS + TAG_BITS)) << 32 | (former >> TAG_BITS & ID_MASK);
}

static void introduce(struct fw_ipc_participant_ *m, uint32_t thread, uint64_t nth)
{
    remember_former(m); /* F:ipc-participant-no-former */
    fw_store64_relaxed(&m->waits_for, 0);
    /* What follows belongs to no generation until it is complete: each release comes after this. */
    fw_store64_relaxed(&m->introduced, 0); /* F:ipc-participant-mixed-ids */
    /* F:ipc-participant-named-early */
    fw_store64_release(&m->ids, (uint64_t)fw_process_id_() << 32 | thread);
    fw_store64_release(&m->here_since, fw_start_now_());
    fw_store64_release(&m->pid_namespace, fw_robust_namespace_());
    fw_store64_release(&m->introduced, nth);
}

static bool take(const struct fw_ipc_mapping_ *mapping, uint32_t slot, uint64_t *id)
{
    struct fw_ipc_participant_ *m = &mapping->participants[slot];
    uint64_t life = fw_load64_acquire(&m->life);
    struct fw_robust_ r;
    uint32_t had_by;
    bool is_mine;

    if (!is_free(life) ||
        slot_generation(life) == UINT32_MAX) /* worn out: SLOT1  F:ipc-participant-worn-out */
        return false;
    had_by = thread_in(mapping, slot);
    if (had_by != 0 && had_by != fw_robust_thread_.id) /* it only seems to be free */
        return false;
    raise_used(mapping->head, slot + 1);     /* F:ipc-participant-unused */
    fw_robust_announce_(&r, robust_word(m)); /* F:ipc-unannounced-claim */
    /* free or DIED -> id, and the next generation */
    /* F:ipc-same-slot-generation */
    is_mine = fw_cas64_acq_rel(&m->life, &life, (slot_generation(life) + 1) << 32 | r.id);
    if (is_mine) {
        fw_ipc_set_slot_thread_(mapping, slot, r.id); /* F:ipc-participant-quiet-line */
        __atomic_store_n(&mapping->own_slots[slot].behind, fw_robust_first_(), __ATOMIC_RELAXED);
        /* F:ipc-participant-links-late */
        introduce(m, r.id, slot_generation(life) + 1);
        /* F:ipc-unlinked */
        if (fw_robust_link_(robust_word(m)))              /* if not, fw_ipc_life_slow_ finds out */
            fw_or64_relaxed(&m->life, FW_ROBUST_WAITERS); /* tid -> tid|WAITERS */
        *id = (slot_generation(life) + 1) << 32 | (slot + 1);
    }
    fw_robust_withdraw_(&r);
    return is_mine;
}

/* Did this thread die, although its slot does not say so?  Only of the caller's pid namespace. */
static bool is_gone(const struct fw_ipc_participant_ *m, uint64_t life)
{
    uint64_t nth = fw_load64_acquire(&m->introduced); /* of the ids that follow: SLOT3 */
    uint32_t thread = thread_of(life) & FW_ROBUST_OWNER;
    uint64_t since = fw_load64_relaxed(&m->here_since);
    uint64_t space = fw_load64_relaxed(&m->pid_namespace);

    return nth == slot_generation(life) && space != 0 && space == fw_robust_namespace_() &&
           fw_robust_is_gone_since_(thread, since); /* F:ipc-reaps-living */
}

/* The participant is gone: threads that sleep on its life look again. */
static void wake_watchers(struct fw_ipc_participant_ *m)
{
    fw_futex_wake(robust_word(m), FW_FUTEX_ALL, FW_FUTEX_SHARED);
}

/* Marks the death that the kernel has not marked.  True: the slot is free. */
static bool mark_dead(struct fw_ipc_participant_ *m)
{
    uint64_t life = fw_load64_acquire(&m->life);
    uint64_t marked = (life & ~(uint64_t)UINT32_MAX) | FW_ROBUST_DIED;

    if (is_free(life))
        return true;
    /* tid -> DIED: is_gone has read what this thread says of itself, or the word has changed */
    /* F:ipc-participant-marks-next */
    if (!is_gone(m, life) || !fw_cas64_acq_rel(&m->life, &life, marked))
        return false;
    wake_watchers(m); /* F:ipc-participant-marks-next-2 */
    return true;
}

static int claim_unmarked(const struct fw_ipc_mapping_ *mapping, uint64_t *id)
{
    uint32_t slot = fw_load32_relaxed(&mapping->head->asked_last); /* may be anything */
    bool is_mine = false;

    for (uint32_t i = 0; !is_mine; i++) {
        if (i >= FW_IPC_ASKED_AT_ONCE &&
            (i >= mapping->participant_count || !fw_ipc_may_ask_another_(mapping)))
            break;
        slot = slot < mapping->participant_count - 1 ? slot + 1 : 0;
        is_mine = mark_dead(&mapping->participants[slot]) && take(mapping, slot, id);
    }
    fw_store32_relaxed(&mapping->head->asked_last, slot);
    return is_mine ? 0 : EAGAIN;
}

/* The lowest free slot, so that few are read; else one whose thread died unmarked. */
static int claim(const struct fw_ipc_mapping_ *mapping, uint64_t *id)
{
    for (uint32_t slot = 0; slot < mapping->participant_count; slot++)
        if (take(mapping, slot, id))
            return 0;
    return claim_unmarked(mapping, id);
}

/* The id of the calling thread as a participant; 0: it is none. */
static uint64_t own_id(const struct fw_ipc_mapping_ *mapping)
{
    uint32_t slot = known[mapping->index];
    const struct fw_ipc_own_slot_ *own;

    if (slot == 0 || slot > mapping->participant_count || !fw_life_is_(fw_robust_thread_.life))
        return 0;
    own = &mapping->own_slots[slot - 1];
    if (__atomic_load_n(&own->participant, __ATOMIC_RELAXED) != fw_robust_thread_.id)
        return 0; /* nothing else there is this thread's */
    if (!fw_life_is_(__atomic_load_n(&own->life, __ATOMIC_RELAXED)))
        return 0;
    return __atomic_load_n(&own->id, __ATOMIC_RELAXED);
}

static void remember(const struct fw_ipc_mapping_ *mapping, uint64_t id)
{
    uint32_t slot = (uint32_t)(id & FW_IPC_SLOT);
    struct fw_ipc_own_slot_ *own = &mapping->own_slots[slot - 1];

    __atomic_store_n(&own->id, id, __ATOMIC_RELAXED);
    __atomic_store_n(&own->life, fw_robust_thread_.life, __ATOMIC_RELAXED);
    __atomic_store_n(&own->participant, fw_robust_thread_.id, __ATOMIC_RELAXED);
    known[mapping->index] = (uint16_t)slot;
}

__attribute__((cold, noinline)) int fw_ipc_enter_slow_(const void *object, struct fw_ipc_me_ *me)
{
    uint64_t epoch = fw_ipc_epoch_();
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(object);
    uint64_t id;

    if (mapping == NULL || (uintptr_t)object % sizeof(uint64_t) != 0)
        return EINVAL;
    if (!fw_life_is_(fw_robust_thread_.life))
        fw_robust_register_();
    id = own_id(mapping);
    if (id == 0) {
        int error = claim(mapping, &id);
        if (error != 0)
            return error;
        remember(mapping, id);
    }
    me->mapping = mapping;
    me->participant = fw_ipc_participant_of_(mapping, id);
    me->id = id;
    me->flags = mapping->flags & FW_REGION_STAMP;
    fw_ipc_self_ = (struct fw_ipc_self_){mapping->base, mapping->size, epoch, *me};
    return 0;
}

int fw_ipc_find_(const void *object, struct fw_ipc_me_ *me)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(object);

    if (mapping == NULL || (uintptr_t)object % sizeof(uint64_t) != 0)
        return EINVAL;
    *me = (struct fw_ipc_me_){.mapping = mapping, .id = own_id(mapping)};
    me->participant = fw_ipc_participant_of_(mapping, me->id);
    return 0;
}

bool fw_ipc_leave_(const struct fw_ipc_mapping_ *mapping)
{
    uint64_t id = own_id(mapping);
    struct fw_ipc_participant_ *m;
    struct fw_robust_ r;
    bool is_out;

    if (id == 0)
        return true;
    m = fw_ipc_participant_of_(mapping, id);
    /* F:ipc-participant-leaves-unseen */
    fw_robust_announce_(&r, robust_word(m)); /* in view until it is free */
    is_out = fw_ipc_list_leave_(m);
    if (is_out) { /* else the slot stays this thread's until it ends */
        fw_ipc_set_slot_thread_(mapping, (uint32_t)(id & FW_IPC_SLOT) - 1, 0);
        /* F:ipc-participant-leaves-early */
        fw_store64_release(&m->life, slot_generation(id)
                                         << 32); /* tid -> free, the same generation: SLOT1 */
        /* F:ipc-leaves-quietly */
        wake_watchers(m);
    }
    fw_robust_withdraw_(&r);
    known[mapping->index] = 0;
    fw_ipc_self_.size = 0;
    return is_out;
}

static bool is_own(const struct fw_ipc_mapping_ *mapping, uint32_t slot)
{
    return slot + 1 == (own_id(mapping) & FW_IPC_SLOT);
}

/* As this process knows it: SLOT4. */
bool fw_ipc_has_other_participants_(const struct fw_ipc_mapping_ *mapping)
{
    for (uint32_t slot = 0; slot < mapping->participant_count; slot++)
        /* F:ipc-participant-counts-itself */
        if (!is_own(mapping, slot) && thread_in(mapping, slot) != 0)
            return true; /* the system is asked about at most one that lives */
    return false;
}

bool fw_ipc_others_seem_gone_(const struct fw_ipc_mapping_ *mapping)
{
    for (uint32_t slot = 0; slot < mapping->participant_count; slot++)
        if (!is_own(mapping, slot) && fw_ipc_slot_thread_(mapping, slot) != 0 &&
            (thread_of(fw_load64_relaxed(&mapping->participants[slot].life)) & FW_ROBUST_DIED) == 0)
            return false;
    return true;
}

/* What it says of a holder; the slot may be another thread's by now. */
static enum fw_ipc_life life_of(uint64_t life, uint64_t holder)
{
    if (slot_generation(holder) == 0 || slot_generation(life) < slot_generation(holder))
        return FW_IPC_CORRUPT;
    /* F:ipc-trusts-line */
    return slot_generation(life) == slot_generation(holder) && !is_free(life) ? FW_IPC_ALIVE
                                                                              : FW_IPC_DEAD;
}

enum fw_ipc_life fw_ipc_life_(const struct fw_ipc_mapping_ *mapping, uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(mapping, holder);

    return m == NULL ? FW_IPC_CORRUPT : life_of(fw_load64_acquire(&m->life), holder);
}

/*
 * The thread that has filled in the slot had it then, or before.  In this order, a later generation
 * than the slot's cannot be seen, and if it is the slot's, these are its ids; unless one of the
 * words has been written over.
 */
static enum fw_ipc_life checked_life(const struct fw_ipc_participant_ *m, uint64_t holder)
{
    uint64_t nth = fw_load64_acquire(&m->introduced); /* F:ipc-participant-before-its-time */
    uint32_t thread = (uint32_t)fw_load64_acquire(&m->ids);
    uint64_t life = fw_load64_acquire(&m->life);
    bool has_two_names = nth == slot_generation(life) && !is_free(life) &&
                         thread != (thread_of(life) & FW_ROBUST_OWNER);

    /* F:ipc-participant-next-alive */
    return nth > slot_generation(life) || has_two_names ? FW_IPC_CORRUPT : life_of(life, holder);
}

enum fw_ipc_life fw_ipc_life_slow_(const struct fw_ipc_mapping_ *mapping, uint64_t holder)
{
    enum fw_ipc_life life = fw_ipc_life_(mapping, holder);
    struct fw_ipc_participant_ *m = fw_ipc_participant_of_(mapping, holder);

    if (life != FW_IPC_ALIVE)
        return life;
    return mark_dead(m) ? FW_IPC_DEAD : checked_life(m, holder);
}

uint64_t fw_ipc_ids_(const struct fw_ipc_mapping_ *mapping, uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(mapping, holder);
    uint64_t ids;

    if (m == NULL)
        return 0;
    if (fw_load64_acquire(&m->introduced) == slot_generation(holder)) {
        ids = fw_load64_acquire(&m->ids);
        if (fw_load64_relaxed(&m->introduced) ==
            slot_generation(holder)) /* F:ipc-participant-one-look */
            return ids;
    }
    return former_ids(m, slot_generation(holder));
}
