/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_NOTE_H
#define FURWOCK_BITS_ANNOTATED_NOTE_H

#include <furwock/note.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/note.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ANALYSED_(int, fw_note_mutex_lock,
                   (fw_mutex * l, const fw_note *note, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_note_cond_wait,
                   (fw_cond * c, fw_mutex *l, const fw_note *note, const fw_deadline *deadline),
                   FW_REQUIRES(l))

FW_NOTED_RELEASE_(fw_note_notify, (fw_note * l), (l))
FW_NOTED_LOCK_INT_(fw_note_mutex_lock, FW_NOTE_WRITE_,
                   (fw_mutex * l, const fw_note *note, const fw_deadline *deadline),
                   (l, note, deadline))

/* What was before the notification is before the end of a wait with the note or a descendant. */
static inline int fw_note_ended_(const fw_note *note, int error)
{
    if (error == ECANCELED)
        for (; note != NULL; note = note->parent_)
            FW_NOTE_ACQUIRE_(note);
    return error;
}

static inline int fw_note_cond_wait_noted_(fw_cond *c, fw_mutex *l, const fw_note *note,
                                           const fw_deadline *deadline)
{
    int error;

    FW_NOTE_UNLOCK_(l, FW_NOTE_WRITE_);
    error = fw_note_cond_wait(c, l, note, deadline);
    FW_NOTE_LOCKING_(l, FW_NOTE_WRITE_);
    FW_NOTE_LOCKED_(l, FW_NOTE_WRITE_, 1);
    return fw_note_ended_(note, error);
}

static inline int fw_note_wait_any_noted_(const fw_any *objects, unsigned n, const fw_note *note,
                                          const fw_deadline *deadline, unsigned *which)
{
    unsigned found = 0;
    int error = fw_note_wait_any(objects, n, note, deadline, &found);

    if (error != 0)
        return fw_note_ended_(note, error);
    if (which != NULL)
        *which = found;
    FW_NOTE_ACQUIRE_((const uint64_t *)objects[found].object);
    return 0;
}

static inline bool fw_note_is_notified_noted_(const fw_note *note)
{
    return fw_note_is_notified(note) && fw_note_ended_(note, ECANCELED) != 0;
}

static inline int fw_note_wait_noted_(const fw_note *note, const fw_deadline *deadline)
{
    int error = fw_note_wait(note, deadline);

    if (error == 0)
        (void)fw_note_ended_(note, ECANCELED);
    return error;
}

static inline int fw_note_one_noted_(fw_any_kind kind, void *object, const fw_note *note,
                                     const fw_deadline *deadline)
{
    const fw_any one = {kind, object};

    return fw_note_wait_any_noted_(&one, 1, note, deadline, NULL);
}

#define fw_note_notify fw_note_notify_noted_
#define fw_note_mutex_lock fw_note_mutex_lock_noted_
#define fw_note_cond_wait fw_note_cond_wait_noted_
#define fw_note_wait_any fw_note_wait_any_noted_
#define fw_note_is_notified fw_note_is_notified_noted_
#define fw_note_wait fw_note_wait_noted_
#define fw_note_sem_wait(s, note, deadline) fw_note_one_noted_(FW_ANY_SEM, s, note, deadline)
#define fw_note_event_wait(e, note, deadline) fw_note_one_noted_(FW_ANY_EVENT, e, note, deadline)
#define fw_note_latch_wait(l, note, deadline) fw_note_one_noted_(FW_ANY_LATCH, l, note, deadline)

#endif

#endif
