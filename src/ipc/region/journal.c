/* SPDX-License-Identifier: MIT */
/*
 * The undo journal.  Contract: furwock/ipc/journal.h.  What a death after each step leaves:
 * doc/design/crash-safety.md.
 *
 * Origin: the undo log is the textbook's (Gray and Reuter, "Transaction Processing", chapter 10).
 * Records need no checksum and no flush because of what can be lost here: a thread, with its next
 * instructions, but no store that it has made.  (The atomics between processes have a redo log:
 * atomic/ipc/guard.c.  crash-safety.md, "Two logs", compares them.)
 *
 * The space behind the head is a stack of records, each with its trailer on top:
 *
 *     old bytes, padded to 8 | their offset in the region | how many | ...
 *
 *   used_        meaning                            left by
 *   0            empty: the data are committed      record: -> the bytes of the first record
 *   n            n bytes of records count           record: -> n + that record
 *                                                   undo: -> n - the last record, once it is back
 *                                                   commit: -> 0
 *   capacity_    0: not made.  Set once, by init.
 *
 * The owner is stored twice: the lock names the journal (journal_ in its owner history), then the
 * journal names the lock (owner_: offset in the region << 8 | its size).
 *
 *   journal_   owner_       meaning             left by
 *   not this   not it       not attached        attach: journal_ -> this
 *   this       not it       not attached yet,   attach: owner_ 0 -> it
 *                           or no longer        detach, and an undo by the lock: journal_ -> 0
 *   this       it           attached            detach: owner_ -> 0
 *   not this   it           the lock was made   attach to the same one only
 *                           again since
 *
 * Legal:   anything above used_ (a record that is being written); a record that has been put back
 *          and is still there; one whose bytes were not changed yet; several of the same bytes.
 * Illegal: to change bytes before used_ covers their record; used_ to cover one that is not whole.
 *
 *   JRN1  One store decides, that to used_: before it a record does not exist, after it it is
 *         whole.
 *   JRN2  Bytes are changed by the holder after JRN1 only, and by an undo to what their record
 *         says; so an undo that is begun again, from any record on, ends the same.
 *   JRN3  Nothing that was read from the region is believed, neither sizes nor records, before it
 *         is checked to lie where it may.
 *   JRN4  owner_ decides, and changes only by compare-and-swap, from 0 or to 0, by the holder of
 *         the lock that it names; and to that lock only while there are no records.  So records
 *         belong to one lock, and none covers it: an undo does not bring back its words as they
 *         were under the dead holder.
 *
 * A thread that dies has carried out its program up to some instruction, and its stores arrive
 * before the kernel's mark of its death.  So JRN1 and JRN2 need the compiler's order only.
 */
#include "ipc/region/journal.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/participant.h"

/* Above the old bytes of a record. */
struct trailer {
    uint64_t at; /* from the beginning of the region */
    uint64_t size;
};

enum { PIECE = 8 };

_Static_assert(FW_IPC_JOURNAL_RECORD(1) == PIECE + sizeof(struct trailer), "what a record takes");
_Static_assert(sizeof(fw_ipc_journal) == 3 * PIECE, "the records begin at a multiple of 8");

enum { OWNER_SHIFT = 8, OWNER_SIZE = (1 << OWNER_SHIFT) - 1 };

_Static_assert(sizeof(fw_ipc_mutex) <= OWNER_SIZE, "a lock's size goes beside its offset");

/* A journal that was checked: records and owner lie in the region, `used` in capacity (JRN3). */
struct log {
    const struct fw_ipc_mapping_ *mapping;
    fw_ipc_journal *j;
    char *records;
    uint64_t capacity;
    uint64_t used;
    uint64_t owner;
};

static uint64_t padded(uint64_t n)
{
    return (n + PIECE - 1) / PIECE * PIECE;
}

static bool is_aligned(uint64_t n)
{
    return n % PIECE == 0;
}

/* Where objects may lie: behind the participants' slots. */
static bool is_among_objects(const struct fw_ipc_mapping_ *mapping, uint64_t at, uint64_t size)
{
    uint64_t objects_at =
        (uintptr_t)&mapping->participants[mapping->participant_count] - mapping->base;

    return at >= objects_at && fw_ipc_address_(mapping, at, size) != NULL;
}

static bool is_apart(uint64_t at, uint64_t size, uint64_t other, uint64_t other_size)
{
    return at >= other + other_size || at + size <= other;
}

static bool is_owner(const struct fw_ipc_mapping_ *mapping, uint64_t owner)
{
    return owner == 0 || ((owner & OWNER_SIZE) != 0 &&
                          is_among_objects(mapping, owner >> OWNER_SHIFT, owner & OWNER_SIZE));
}

static bool is_journal_space(const struct fw_ipc_mapping_ *mapping, uint64_t at, uint64_t capacity)
{
    return is_aligned(at) && capacity != 0 && is_aligned(capacity) && capacity < mapping->size &&
           is_among_objects(mapping, at, sizeof(fw_ipc_journal) + capacity);
}

/* 0, or EUCLEAN: no journal lies there. */
static int look_at(struct log *log, const struct fw_ipc_mapping_ *mapping, uint64_t at)
{
    fw_ipc_journal *j;

    if (!is_aligned(at) || !is_among_objects(mapping, at, sizeof *j))
        return EUCLEAN;
    j = fw_ipc_address_(mapping, at, sizeof *j);
    *log = (struct log){.mapping = mapping,
                        .j = j,
                        .records = (char *)(j + 1),
                        .capacity = fw_load64_relaxed(&j->capacity_),
                        .used = fw_load64_relaxed(&j->used_),
                        .owner = fw_load64_relaxed(&j->owner_)};
    if (!is_journal_space(mapping, at, log->capacity) || !is_aligned(log->used) ||
        log->used > log->capacity || !is_owner(mapping, log->owner))
        return EUCLEAN;
    return 0;
}

/* Does the lock own this journal (JRN4)? */
static bool is_of(const struct log *log, const void *lock)
{
    return log->owner != 0 && log->owner >> OWNER_SHIFT == fw_ipc_offset_(log->mapping, lock);
}

/* The user's own journal. */
static int enter(struct log *log, const fw_ipc_journal *j)
{
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(j, &me);

    return error != 0 ? error : look_at(log, me.mapping, fw_ipc_offset_(me.mapping, j));
}

/* May these bytes have a record in this journal? */
static bool is_covered(const struct log *log, uint64_t at, uint64_t size)
{
    uint64_t begin = fw_ipc_offset_(log->mapping, log->j);

    return size != 0 && is_among_objects(log->mapping, at, size) &&
           is_apart(at, size, begin, sizeof *log->j + log->capacity) &&
           is_apart(at, size, log->owner >> OWNER_SHIFT, log->owner & OWNER_SIZE);
}

/* Whole words in one piece each. */
static void copy(char *to, const char *from, uint64_t n)
{
    uint64_t i = 0;

    if (is_aligned((uintptr_t)to | (uintptr_t)from))
        for (; n - i >= PIECE; i += PIECE)
            fw_store64_relaxed((fw_word_ *)(void *)(to + i),
                               fw_load64_relaxed((const fw_word_ *)(const void *)(from + i)));
    for (; i < n; i++)
        fw_store8_relaxed((fw_byte_ *)(to + i), fw_load8_relaxed((const fw_byte_ *)(from + i)));
}

/* Until here, all is in the memory that outlives the thread (JRN1, JRN2). */
static void set_used(struct log *log, uint64_t used)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fw_store64_release(&log->j->used_, used);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    log->used = used;
}

size_t fw_ipc_journal_size(size_t capacity)
{
    return sizeof(fw_ipc_journal) + (capacity + 7) / 8 * 8;
}

int fw_ipc_journal_init(fw_ipc_journal *j, size_t capacity)
{
    struct fw_ipc_me_ me;
    uint64_t full = padded(capacity);
    uint64_t now = 0;
    int error = fw_ipc_enter_(j, &me);

    if (error != 0)
        return error;
    if (capacity > me.mapping->size ||
        !is_journal_space(me.mapping, fw_ipc_offset_(me.mapping, j), full))
        return EINVAL;
    if (fw_cas64_release(&j->capacity_, &now, full) || now == full) /* not made -> made */
        return 0;
    return EBUSY;
}

int fw_ipc_journal_record(fw_ipc_journal *j, const void *p, size_t n)
{
    struct log log;
    uint64_t at, old;
    fw_word_ *trailer;
    int error = enter(&log, j);

    if (error != 0)
        return error;
    at = fw_ipc_offset_(log.mapping, p);
    if (!is_covered(&log, at, n))
        return EINVAL;
    old = padded(n);
    if (old + sizeof(struct trailer) > log.capacity - log.used)
        return ENOSPC;
    copy(log.records + log.used, p, n); /* F:ipc-journal-counts-first */
    trailer = (fw_word_ *)(void *)(log.records + log.used + old);
    fw_store64_relaxed(&trailer[0], at);
    fw_store64_relaxed(&trailer[1], n);
    /* F:ipc-journal-never-counts */
    set_used(&log, log.used + old + sizeof(struct trailer)); /* JRN1: from here on it counts */
    return 0;
}

/* The topmost record; false: it is corrupt (JRN3). */
static bool top(const struct log *log, struct trailer *t)
{
    const fw_word_ *trailer;

    if (log->used < sizeof *t + PIECE)
        return false;
    trailer = (const fw_word_ *)(const void *)(log->records + log->used - sizeof *t);
    *t = (struct trailer){fw_load64_relaxed(&trailer[0]), fw_load64_relaxed(&trailer[1])};
    return t->size <= log->used - sizeof *t && padded(t->size) <= log->used - sizeof *t &&
           is_covered(log, t->at, t->size);
}

/* Each turn shortens `used`, which was checked against the region. */
static int undo(struct log *log)
{
    struct trailer t;

    while (log->used != 0) {
        uint64_t rest;
        if (!top(log, &t))
            return EUCLEAN;
        rest = log->used - sizeof t - padded(t.size);
        /* F:ipc-journal-gone-first */
        copy(fw_ipc_address_(log->mapping, t.at, t.size), log->records + rest, t.size);
        set_used(log, rest); /* JRN2: it is back  F:ipc-journal-one */
    }
    return 0;
}

int fw_ipc_journal_undo_at_(const struct fw_ipc_mapping_ *mapping, uint64_t offset,
                            const void *lock)
{
    struct log log;
    int error = look_at(&log, mapping, offset);

    if (error != 0)
        return error;
    return is_of(&log, lock) ? undo(&log) : ENOENT; /* F:ipc-journal-undoes-others */
}

int fw_ipc_journal_commit_at_(const struct fw_ipc_mapping_ *mapping, uint64_t offset,
                              const void *lock)
{
    struct log log;
    int error = look_at(&log, mapping, offset);

    if (error == 0 && !is_of(&log, lock))
        return EUCLEAN;
    if (error == 0 && log.used != 0) /* F:ipc-journal-no-commit */
        set_used(&log, 0);
    return error;
}

int fw_ipc_journal_undo(fw_ipc_journal *j)
{
    struct log log;
    int error = enter(&log, j);

    return error != 0 ? error : undo(&log);
}

int fw_ipc_journal_commit(fw_ipc_journal *j)
{
    struct log log;
    int error = enter(&log, j);

    if (error == 0)
        set_used(&log, 0);
    return error;
}

/* EBUSY: the holder of another lock was quicker; then this one has none. */
static int join(const struct log *log, uint64_t owner, fw_ipc_history *history)
{
    uint64_t now = 0;

    /* F:ipc-journal-owner-first */
    fw_store64_release(&history->journal_, fw_ipc_offset_(log->mapping, log->j));
    /* F:ipc-journal-torn-owner */
    if (fw_cas64_release(&log->j->owner_, &now, owner) || now == owner) /* nobody's -> owner's */
        /* F:ipc-journal-owner-first-2 */
        return 0;
    fw_store64_release(&history->journal_, 0); /* F:ipc-journal-keeps-name */
    return EBUSY;
}

static void part(const struct log *log, fw_ipc_history *history)
{
    uint64_t owner = log->owner;

    /* F:ipc-journal-name-first */
    (void)fw_cas64_release(&log->j->owner_, &owner, 0); /* owner's -> nobody's */
    fw_store64_release(&history->journal_, 0);
}

/* May the owner get this journal, as far as the journal says?  0, EINVAL, EUCLEAN or EBUSY. */
static int is_free(struct log *log, const struct fw_ipc_mapping_ *mapping, uint64_t at,
                   uint64_t owner)
{
    if (at == 0)
        return EINVAL;
    if (look_at(log, mapping, at) != 0)
        return EUCLEAN;
    if (!is_apart(owner >> OWNER_SHIFT, owner & OWNER_SIZE, at, sizeof *log->j + log->capacity))
        return EINVAL;
    /* F:ipc-journal-unasked-owner */
    return log->used != 0 || (log->owner != 0 && log->owner != owner) ? EBUSY : 0;
}

int fw_ipc_journal_attach_(const struct fw_ipc_mapping_ *mapping, const void *lock, size_t size,
                           fw_ipc_history *history, const fw_ipc_journal *j)
{
    uint64_t owner = fw_ipc_offset_(mapping, lock) << OWNER_SHIFT | size;
    uint64_t at = j != NULL ? fw_ipc_offset_(mapping, j) : 0;
    uint64_t before = fw_load64_relaxed(&history->journal_);
    struct log log, old;
    bool has_old = before != 0 && look_at(&old, mapping, before) == 0 && old.owner == owner;
    int error = 0;

    if (has_old && before == at)
        return 0;
    if (j != NULL)
        error = is_free(&log, mapping, at, owner);
    if (error == 0 && has_old && old.used != 0) /* F:ipc-journal-parts-early */
        error = EBUSY;
    if (error != 0)
        return error;
    if (has_old) /* F:ipc-journal-keeps-old */
        part(&old, history);
    else
        fw_store64_release(&history->journal_, 0);
    if (j != NULL)
        error = join(&log, owner, history);
    if (error != 0 && has_old)
        (void)join(&old, owner, history);
    return error;
}

int fw_ipc_mutex_journal(fw_ipc_mutex *m, fw_ipc_journal *j)
{
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(m, &me);

    if (error != 0)
        return error;
    if (!fw_ipc_mutex_is_held_by_me(m))
        return EPERM;
    return fw_ipc_journal_attach_(me.mapping, m, sizeof *m, &m->history_, j);
}
