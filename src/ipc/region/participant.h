/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_PARTICIPANT_H
#define FW_IPC_PARTICIPANT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/participant.h>

#include "ipc/region/layout.h"
#include "ipc/region/mapping.h"
#include "sys/robust.h"

/*
 * The calling thread's registration in the region of an object.  A thread becomes a participant by
 * its first call on an object of the region, and is one until it ends (the kernel says so in its
 * slot), calls exec, or its process closes the region.  A forked child is another thread, and no
 * participant yet.  What a thread remembers of the region that it used last:
 * furwock/bits/participant.h.
 */

/*
 * Finds the calling thread's registration in the region of the object.
 *   0        *me is filled
 *   EINVAL   no region that this process has joined has this address
 *   EAGAIN   the region has no slot left for another thread (slots of threads that died unmarked
 *            are searched for, but in calls that follow one another only among a few)
 */
int fw_ipc_enter_slow_(const void *object, struct fw_ipc_me_ *me);

static inline int fw_ipc_enter_(const void *object, struct fw_ipc_me_ *me)
{
    const struct fw_ipc_me_ *known = fw_ipc_known_(object);

    if (__builtin_expect(known == NULL, 0))
        return fw_ipc_enter_slow_(object, me);
    *me = *known;
    return 0;
}

/*
 * The same for a call that only looks: the thread does not become a participant; if it is none,
 * me->id is 0.  0 or EINVAL.
 */
int fw_ipc_find_(const void *object, struct fw_ipc_me_ *me);

/*
 * Ends the calling thread's registration, if there is one.  False: the kernel will still read its
 * slot, which must stay mapped until the thread has ended.
 */
bool fw_ipc_leave_(const struct fw_ipc_mapping_ *mapping);

/* For leave: takes the thread's slot out of its robust list.  False: as above. */
struct fw_ipc_participant_;
bool fw_ipc_list_leave_(struct fw_ipc_participant_ *m);

/*
 * Are there participants of this process, other than the calling thread?  (Not those that died
 * unmarked, as when another thread of the process than its first has called exec.)
 */
bool fw_ipc_has_other_participants_(const struct fw_ipc_mapping_ *mapping);

/* Do their slots say that all of these have ended?  A hint, since others can write there. */
bool fw_ipc_others_seem_gone_(const struct fw_ipc_mapping_ *mapping);

/*
 * The life of a holder, by its id (flags are not looked at).
 *   FW_IPC_ALIVE    it may still run
 *   FW_IPC_DEAD     it died, or left: it will never change anything in the region again
 *   FW_IPC_CORRUPT  no thread can have had that id: something has been written over
 * Cheap: one load from the participant's slot.
 */
enum fw_ipc_life { FW_IPC_ALIVE, FW_IPC_DEAD, FW_IPC_CORRUPT };
enum fw_ipc_life fw_ipc_life_(const struct fw_ipc_mapping_ *mapping, uint64_t holder);

/*
 * The same, and also finds deaths that the kernel did not mark (it has no robust lists: an
 * emulator; a robust list that was written over), of threads in the caller's pid namespace; and
 * slots of which a word was written over (CORRUPT).  Makes system calls: for after a re-check
 * interval.
 */
enum fw_ipc_life fw_ipc_life_slow_(const struct fw_ipc_mapping_ *mapping, uint64_t holder);

/*
 * Has a thread asked so about a holder, whose slot exists, within the last `ns`?  If not, it is
 * noted that the caller does; less than a millisecond is not noted.  (Between time namespaces with
 * different clocks questions are put again.)
 */
bool fw_ipc_was_asked_about_(const struct fw_ipc_mapping_ *mapping, uint64_t holder, uint64_t ns);

/* To find a slot: how many others it asks about in any case, and whether one more may be. */
enum { FW_IPC_ASKED_AT_ONCE = 4 };
bool fw_ipc_may_ask_another_(const struct fw_ipc_mapping_ *mapping);

/*
 * process << 32 | thread of a holder; 0: not known any more, since FW_IPC_FORMER or more others
 * have had its slot.
 */
uint64_t fw_ipc_ids_(const struct fw_ipc_mapping_ *mapping, uint64_t holder);

/* From slot + 1 in an id; NULL: there is none. */
static inline struct fw_ipc_participant_ *
fw_ipc_participant_of_(const struct fw_ipc_mapping_ *mapping, uint64_t holder)
{
    uint64_t slot = (holder & FW_IPC_SLOT) - 1;

    return slot < mapping->participant_count ? &mapping->participants[slot] : NULL;
}

/* The half of its life of which the kernel knows, and on which others sleep until it dies. */
static inline const uint32_t *fw_ipc_life_half_(const struct fw_ipc_participant_ *m)
{
    return (const uint32_t *)(const void *)&m->life;
}

/* Does the kernel know it?  Then it wakes one of the threads that sleep there. */
static inline bool fw_ipc_is_marked_(const struct fw_ipc_participant_ *m)
{
    return (fw_load32_relaxed(fw_ipc_life_half_(m)) & FW_ROBUST_WAITERS) != 0;
}

#endif
