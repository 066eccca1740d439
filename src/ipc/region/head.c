/* SPDX-License-Identifier: MIT */
/*
 * The head of a region: made by any number of processes at once, without a lock, and checked by
 * all. Contract: head.h.
 *
 *   magic   plan      meaning        left by
 *   0       0         not begun      make: plan, in one compare-and-swap, which decides the maker
 *   0       a plan    begun          any process: all constants, then magic
 *   MAGIC   a plan    made           nobody
 *
 *   HEAD1  Every constant of a head follows from three words (plan, boot, pid_namespace), and each
 *          of these leaves zero once.  So all that complete a head store the same values, however
 *          many they are and however late one of them runs: none needs a lock, and if one dies or
 *          is stopped, any other goes on.
 *   HEAD2  magic is stored after all other constants.
 *   HEAD3  The memory is large enough for a plan before the plan is stored (join.c).
 *   HEAD4  What changes later (participants, naming, the directory) is not touched here: it begins
 *          as zeroes.
 *   HEAD5  The plan is stored before all other constants: a process that sees one of these sees the
 *          plan.
 *
 * A killed maker leaves zeroes, or a head that is begun and that the next process completes.
 */
#include "ipc/region/head.h"

#include <errno.h>
#include <stdbool.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/region.h>

#include "sys/origin.h"

/*
 * plan: bits 0-7 flags, 12-39 the size, 40-47 the format, 48-63 a mark, which tells what is
 * begun from what was never a region.
 */
#define PLAN_STAMP UINT64_C(1)
#define PLAN_SIZE UINT64_C(0xfffffff000)
#define PLAN_FORMAT(number) ((uint64_t)(number) << 40)
#define PLAN_FORMATS (UINT64_C(0xff) << 40)
#define PLAN_MARK (UINT64_C(0x7766) << 48)
#define PLAN_MARKS (UINT64_C(0xffff) << 48)

_Static_assert(FW_IPC_REGION_MAX_SIZE <= PLAN_SIZE && FW_IPC_HEAD_SIZE == 4096, "a size fits");
_Static_assert(FW_IPC_REGION_MIN_SIZE == FW_REGION_MIN_SIZE, "the header says so");
_Static_assert(FW_REGION_FORMAT > 0 && FW_REGION_FORMAT <= 0xff, "a plan has eight bits for it");
_Static_assert(offsetof(struct fw_ipc_head_, check) == 72, "words without gaps, for the check");

/* In boot and pid_namespace, for which zero says that they are not stored yet. */
#define NOT_KNOWN UINT64_C(1)

/*
 * A directory entry for every 4 KiB, a participant for every 2 KiB: an object of each kind in each.
 */
enum { ENTRY_SHARE = 4096, ENTRIES_LEAST = 64, ENTRIES_MOST = 4096 };
enum { PARTICIPANT_SHARE = 2048, PARTICIPANTS_LEAST = 128 };

enum { CONSTANT_WORDS = offsetof(struct fw_ipc_head_, check) / sizeof(uint64_t) };
enum { PLAN_WORD = offsetof(struct fw_ipc_head_, plan) / sizeof(uint64_t) };

static uint32_t clamp(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static uint32_t round_up(uint32_t n)
{
    return (n + FW_IPC_HEAD_SIZE - 1) / FW_IPC_HEAD_SIZE * FW_IPC_HEAD_SIZE;
}

int fw_ipc_plan_(uint64_t size, uint32_t flags, struct fw_ipc_plan_ *plan)
{
    if (size < FW_IPC_REGION_MIN_SIZE || size > FW_IPC_REGION_MAX_SIZE ||
        size % FW_IPC_HEAD_SIZE != 0)
        return EINVAL;
    *plan = (struct fw_ipc_plan_){
        .size = size, .flags = flags & FW_REGION_STAMP, .format = FW_REGION_FORMAT};
    plan->entry_count = clamp(size / ENTRY_SHARE, ENTRIES_LEAST, ENTRIES_MOST);
    plan->participant_count =
        clamp(size / PARTICIPANT_SHARE, PARTICIPANTS_LEAST, FW_IPC_PARTICIPANTS_MAX);
    plan->entries_at = FW_IPC_HEAD_SIZE;
    plan->participants_at =
        round_up(plan->entries_at + plan->entry_count * (uint32_t)sizeof(struct fw_ipc_entry_));
    plan->objects_at =
        round_up(plan->participants_at + plan->participant_count * FW_IPC_PARTICIPANT_SIZE);
    return 0;
}

static uint64_t word_of(const struct fw_ipc_plan_ *plan)
{
    return PLAN_MARK | PLAN_FORMAT(FW_REGION_FORMAT) | plan->size |
           (plan->flags & FW_REGION_STAMP ? PLAN_STAMP : 0);
}

static int plan_of(uint64_t word, struct fw_ipc_plan_ *plan)
{
    uint32_t flags = word & PLAN_STAMP ? FW_REGION_STAMP : 0;

    if ((word & PLAN_MARKS) != PLAN_MARK)
        return EUCLEAN;
    if ((word & PLAN_FORMATS) != PLAN_FORMAT(FW_REGION_FORMAT)) {
        *plan = (struct fw_ipc_plan_){.format = (uint32_t)((word & PLAN_FORMATS) >> 40)};
        return EPROTO;
    }
    if (fw_ipc_plan_(word & PLAN_SIZE, flags, plan) != 0)
        return EUCLEAN;
    return word == word_of(plan) ? 0 : EUCLEAN;
}

static const fw_word_ *words_of(const struct fw_ipc_head_ *head)
{
    return (const fw_word_ *)head;
}

/* The constants of a region by that plan, once it is made. */
static void draw_up(const struct fw_ipc_plan_ *plan, struct fw_ipc_head_ *head)
{
    *head = (struct fw_ipc_head_){
        .magic = FW_IPC_MAGIC,
        .format = FW_REGION_FORMAT,
        .flags = plan->flags,
        .plan = word_of(plan),
        .size = plan->size,
        .entries_at = plan->entries_at,
        .entry_count = plan->entry_count,
        .participants_at = plan->participants_at,
        .participant_count = plan->participant_count,
        .objects_at = plan->objects_at,
        .pid_namespace = plan->pid_namespace,
        .boot = plan->boot,
    };
    head->check = fw_hash_(FW_HASH_START_, head, offsetof(struct fw_ipc_head_, check));
}

static bool is_same(const struct fw_ipc_head_ *a, const struct fw_ipc_head_ *b)
{
    for (unsigned i = 0; i <= CONSTANT_WORDS; i++)
        if (words_of(a)[i] != words_of(b)[i])
            return false;
    return true;
}

/* Every constant word, once: magic before all others (HEAD2), the plan after them (HEAD5). */
static void copy(const struct fw_ipc_head_ *head, struct fw_ipc_head_ *seen)
{
    fw_word_ *to = (fw_word_ *)seen;

    to[0] = fw_load64_acquire(words_of(head));     /* F:ipc-head-magic-late */
    for (unsigned i = 1; i <= CONSTANT_WORDS; i++) /* F:ipc-head-plan-early */
        if (i != PLAN_WORD)
            to[i] = fw_load64_acquire(words_of(head) + i);
    to[PLAN_WORD] = fw_load64_relaxed(words_of(head) + PLAN_WORD);
}

/* Of another byte order or format?  Of the second *plan has what every format has. */
static bool is_foreign(const struct fw_ipc_head_ *seen, struct fw_ipc_plan_ *plan)
{
    bool is_made = seen->magic == FW_IPC_MAGIC && seen->format != FW_REGION_FORMAT;

    *plan = (struct fw_ipc_plan_){0};
    if (is_made && seen->format != 0)
        *plan = (struct fw_ipc_plan_){.format = seen->format, .boot = seen->boot};
    return plan->format != 0 || seen->magic == __builtin_bswap64(FW_IPC_MAGIC) ||
           (seen->magic == 0 && seen->plan != 0 &&
            (__builtin_bswap64(seen->plan) & PLAN_MARKS) == PLAN_MARK);
}

static bool is_blank(const void *memory, size_t bytes)
{
    const fw_word_ *words = (const fw_word_ *)memory;

    for (size_t i = 0; i < bytes / sizeof *words; i++)
        if (fw_load64_acquire(words + i) != 0)
            return false;
    return true;
}

int fw_ipc_head_check_(const struct fw_ipc_head_ *head, uint64_t mapped, struct fw_ipc_plan_ *plan)
{
    struct fw_ipc_head_ seen, wanted;
    int error;

    copy(head, &seen);
    if (is_foreign(&seen, plan))
        return EPROTO;
    if (is_blank(&seen, (CONSTANT_WORDS + 1) * sizeof(uint64_t)))
        return ENOENT;
    if (seen.magic != 0 && seen.magic != FW_IPC_MAGIC)
        return EUCLEAN;
    error = plan_of(seen.plan, plan);
    if (error != 0)
        return error;
    if (plan->size > mapped)
        return EUCLEAN;
    if (seen.magic == 0)
        return EINPROGRESS;
    plan->boot = seen.boot;
    plan->pid_namespace = seen.pid_namespace;
    draw_up(plan, &wanted);
    return is_same(&seen, &wanted) ? 0 : EUCLEAN;
}

/* 0 -> the value, or what another process takes for it; returns the one that is stored. */
static uint64_t store_once(uint64_t *word, uint64_t value)
{
    uint64_t now = fw_load64_relaxed(word);

    if (value == 0)
        value = NOT_KNOWN;
    if (now == 0 && fw_cas64_release(word, &now, value)) /* 0 -> value: HEAD5 */
        now = value;
    return now;
}

void fw_ipc_head_complete_(struct fw_ipc_head_ *head)
{
    struct fw_ipc_head_ wanted;
    struct fw_ipc_plan_ plan;

    if (fw_load64_acquire(&head->magic) != 0 || plan_of(fw_load64_acquire(&head->plan), &plan) != 0)
        return;
    plan.boot = store_once(&head->boot, fw_boot_());
    plan.pid_namespace = store_once(&head->pid_namespace, fw_pid_namespace_());
    draw_up(&plan, &wanted);
    /* F:ipc-head-magic-first */
    for (unsigned i = 1; i <= CONSTANT_WORDS; i++)
        fw_store64_release((fw_word_ *)head + i, words_of(&wanted)[i]); /* HEAD5 */
    fw_store64_release(&head->magic, FW_IPC_MAGIC);                     /* HEAD2 */
}

int fw_ipc_head_make_(struct fw_ipc_head_ *head, const struct fw_ipc_plan_ *plan)
{
    uint64_t nothing = 0;
    bool was_blank = is_blank(head, (size_t)plan->objects_at);
    bool is_maker = false;

    if (was_blank)
        /* F:ipc-head-torn-plan */
        is_maker = fw_cas64_acq_rel(&head->plan, &nothing, word_of(plan)); /* not begun -> begun */
    else if (fw_load64_acquire(&head->plan) == 0) /* ours would be there, by HEAD5 */
        return EUCLEAN;
    fw_ipc_head_complete_(head); /* F:ipc-head-own-plan */
    return is_maker ? 0 : EEXIST;
}
