/* SPDX-License-Identifier: MIT */
#include "ipc_ground.h"

#include <stdio.h>

#include "../subject/robust.h"
#include "ipc/region/mapping.h"

/* subject/atomic.h: SUBJECT_OWN. */
#define IPC_SHIPPED_BEGIN __start_model_own_variables
#define IPC_SHIPPED_END __stop_model_own_variables

/* No thread has more at a time; those beyond stay as they are. */
#define SHARES_USED 2u

#define LINE FW_IPC_MEMBER_SIZE
#define PART(n, field, bytes)                                                     \
    {                                                                             \
#field "-" #n, (n)*LINE + offsetof(struct fw_ipc_member_, field), (bytes) \
    }
#define PARTS(n)                                                                 \
    PART(n, life, 8), PART(n, life, 4), PART(n, ids, 8), PART(n, introduced, 8), \
        PART(n, shares[0], 8), PART(n, shares[0], 4), PART(n, shares[1], 8), PART(n, shares[1], 4)

static const struct model_part line_parts[] = {
    PARTS(0), PARTS(1), PARTS(2), PARTS(3), {NULL, 0, 0}};

struct fw_ipc_member_ *ground_lines;
const struct fw_ipc_mapping_ *ground_place;

static unsigned line_count;
static bool have_joined;

static uint32_t tenant(uint64_t life)
{
    return (uint32_t)life & FW_ROBUST_OWNER;
}

static uint64_t slot_generation(uint64_t life)
{
    return life >> 32;
}

/* --- For the reader ------------------------------------------------------------------------- */

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t room)
{
    uint32_t low = (uint32_t)value;

    if (offset % LINE != offsetof(struct fw_ipc_member_, life))
        snprintf(text, room, "%llx", (unsigned long long)value);
    else if (size == 4)
        snprintf(text, room, "%08x", low);
    else if (tenant(value) != 0)
        snprintf(text, room, "%c (tenancy %u)", (int)('A' + tenant(value) - SUBJECT_FIRST_TID),
                 (unsigned)(value >> 32));
    else
        snprintf(text, room, "%s (tenancy %u)", (low & FW_ROBUST_DIED) != 0 ? "DIED" : "free",
                 (unsigned)(value >> 32));
}

void ground_decode_holder(uint64_t id, char *text, size_t room)
{
    unsigned thread = ground_thread_of(id);

    if ((id & FW_IPC_HOLDER) == 0)
        snprintf(text, room, "nobody");
    else if ((id & FW_IPC_HOLDER) == FW_IPC_ABANDONED)
        snprintf(text, room, "NOBODY");
    else if (thread < MODEL_MAX_THREADS)
        snprintf(text, room, "%c", 'A' + (int)thread);
    else
        snprintf(text, room, "dead %u:%u", (unsigned)(id & FW_IPC_SLOT) - 1,
                 (unsigned)slot_generation(id));
}

/* --- The region ----------------------------------------------------------------------------- */

static void register_thread(unsigned thread)
{
    struct fw_ipc_member_ *m = &ground_lines[thread];
    uint32_t tid = SUBJECT_FIRST_TID + thread;

    m->life = UINT64_C(1) << 32 | tid | (model_program->unmarked ? 0 : FW_ROBUST_WAITERS);
    m->ids = (uint64_t)(SUBJECT_FIRST_PROCESS + thread) << 32 | tid;
    m->here_since = tid;
    m->pid_namespace = 1;
    m->introduced = 1;
}

void ground_make(unsigned lines, bool joined)
{
    static struct fw_ipc_own_slot_ nobody_joins[FW_IPC_MEMBERS_MAX];
    struct fw_ipc_mapping_ *mapping = &fw_ipc_mappings_[0];
    struct fw_ipc_head_ *head = model_object("head", sizeof *head, NULL, NULL);

    ground_lines = model_object("line", lines * LINE, line_parts, decode);
    line_count = lines;
    have_joined = joined;
    subject_is_one_process = false;
    *mapping = (struct fw_ipc_mapping_){.base = (uintptr_t)model_memory,
                                        .size = MODEL_MEMORY,
                                        .generation = 1,
                                        .head = head,
                                        .members = ground_lines,
                                        .member_count = lines,
                                        .own_slots = nobody_joins};
    fw_ipc_ranges_.slots[0] = (struct fw_range_){
        .generation = 1, .base = mapping->base, .size = mapping->size, .is_reserved = 1};
    fw_ipc_ranges_.used = 1;
    if (!joined) /* what a process knows by itself (SLOT4) is no step, but a part of the state */
        mapping->own_slots =
            model_object("had", lines * (unsigned)sizeof *mapping->own_slots, NULL, NULL);
    ground_place = mapping;
    head->members_used = joined ? lines : 0;
    for (unsigned i = 0; joined && i < model_thread_count; i++)
        register_thread(i);
}

void ground_begin(unsigned self, const struct ipc_ground_calls *calls)
{
    struct fw_ipc_member_ *m = &ground_lines[self];

    if (!have_joined)
        return;
    subject_robust_begin((uint32_t *)(void *)&m->life);
    *calls->self() = (struct fw_ipc_self_){
        .base = ground_place->base,
        .size = ground_place->size - sizeof(fw_ipc_mutex),
        .epoch = fw_ipc_epoch_(),
        .me = {.mapping = ground_place, .member = m, .id = UINT64_C(1) << 32 | (self + 1)}};
}

/*
 * At a life that neither ends nor begins; or at the half of one, right after a sleep: a death that
 * comes later than that has not been told to the one who looks.
 */
static bool is_idle_look(void)
{
    const struct model_op *op = &model_threads[model_current].op;
    bool is_constant = have_joined && model_shared.budget.kills == 0 && model_shared.killed == 0;

    return is_constant || (op->kind == OP_LOAD && op->size == sizeof(uint32_t));
}

enum model_access ground_access(const void *p)
{
    uintptr_t at = (uintptr_t)p - (uintptr_t)ground_lines;

    if ((uintptr_t)p == (uintptr_t)&ground_place->head->members_used ||
        (uintptr_t)p == (uintptr_t)&ground_place->head->asked_last ||
        (uintptr_t)p == (uintptr_t)&ground_place->head->alarm)
        return ACCESS_DIRECT; /* for tools; where the next one asks; what nobody changes */
    if (at >= line_count * LINE)
        return ACCESS_STEP;
    if (at % LINE >= offsetof(struct fw_ipc_member_, former) &&
        at % LINE < offsetof(struct fw_ipc_member_, shares))
        return ACCESS_DIRECT;
    if (at % LINE >= offsetof(struct fw_ipc_member_, shares) + SHARES_USED * 8)
        return ACCESS_DIRECT;
    switch (at % LINE) {
    case offsetof(struct fw_ipc_member_, waits_for):
    case offsetof(struct fw_ipc_member_, waits_since):
    case offsetof(struct fw_ipc_member_, waits_how):
    case offsetof(struct fw_ipc_member_, asked_at): /* no question is left out here */
        return ACCESS_NONE;
    case offsetof(struct fw_ipc_member_, here_since):
    case offsetof(struct fw_ipc_member_, pid_namespace):
        return ACCESS_DIRECT;
    case offsetof(struct fw_ipc_member_, life):
        return is_idle_look() ? ACCESS_DIRECT : ACCESS_STEP;
    case offsetof(struct fw_ipc_member_, ids):
    case offsetof(struct fw_ipc_member_, introduced):
        return have_joined ? ACCESS_DIRECT : ACCESS_STEP;
    default:
        return ACCESS_STEP;
    }
}

/* --- Who is who ----------------------------------------------------------------------------- */

unsigned ground_thread_of(uint64_t id)
{
    uint64_t slot = (id & FW_IPC_SLOT) - 1;
    unsigned thread;

    if (slot >= line_count || slot_generation(ground_lines[slot].life) != slot_generation(id))
        return MODEL_MAX_THREADS;
    thread = tenant(ground_lines[slot].life) - SUBJECT_FIRST_TID;
    return thread < model_thread_count && !ground_is_killed(thread) ? thread : MODEL_MAX_THREADS;
}

uint64_t ground_id_of(unsigned thread)
{
    for (unsigned i = 0; i < line_count && !ground_is_killed(thread); i++)
        if (tenant(ground_lines[i].life) == SUBJECT_FIRST_TID + thread)
            return slot_generation(ground_lines[i].life) << 32 | (i + 1);
    return 0;
}

/* --- Checks --------------------------------------------------------------------------------- */

static bool is_line_of_dead(uint64_t life)
{
    uint32_t tid = tenant(life);

    return tid >= SUBJECT_FIRST_TID && ground_is_killed(tid - SUBJECT_FIRST_TID);
}

/* The thread takes the line: does it have another one? */
static void check_claim(unsigned thread, uint64_t before, uint64_t now)
{
    unsigned lines = 0;

    for (unsigned i = 0; i < line_count; i++)
        lines += tenant(ground_lines[i].life) == SUBJECT_FIRST_TID + thread;
    if (tenant(now) != SUBJECT_FIRST_TID + thread)
        model_fail("member", "thread %llu enters another's name into a line: 0x%llx", thread, now);
    else if (tenant(before) != 0)
        model_fail("member", "thread %llu takes the line of another: 0x%llx", thread, before);
    else if (slot_generation(now) != slot_generation(before) + 1)
        model_fail("member", "a line is taken, and its tenancy is 0x%llx after 0x%llx",
                   slot_generation(now), slot_generation(before));
    else if (lines > 1)
        model_fail("member", "thread %llu takes a second line", thread, 0);
}

void ground_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)ground_lines;
    uint64_t now;

    if (at >= line_count * LINE || at % LINE != offsetof(struct fw_ipc_member_, life))
        return;
    now = ground_lines[at / LINE].life;
    if (now == (before | FW_ROBUST_WAITERS) && tenant(now) == SUBJECT_FIRST_TID + thread)
        return; /* the kernel knows it */
    if (tenant(now) != 0)
        check_claim(thread, before, now);
    else if (slot_generation(now) != slot_generation(before))
        model_fail("member", "nobody takes a line, and its tenancy changes: 0x%llx, 0x%llx", before,
                   now);
    else if (((uint32_t)now & FW_ROBUST_DIED) != 0 && !is_line_of_dead(before))
        model_fail("member", "the line of one who lives is marked: 0x%llx", before, 0);
    else if ((uint32_t)now == 0 && tenant(before) != SUBJECT_FIRST_TID + thread)
        model_fail("member", "thread %llu gives back what is another's: 0x%llx", thread, before);
}

/* --- Variables of their own ----------------------------------------------------------------- */

extern uint8_t IPC_SHIPPED_BEGIN[], IPC_SHIPPED_END[];

const struct model_own *ipc_own(const struct ipc_ground_calls *calls)
{
    static struct model_own table[3];

    table[0] = (struct model_own){IPC_SHIPPED_BEGIN, IPC_SHIPPED_END};
    table[1] = calls->own;
    if (calls->own.begin == IPC_SHIPPED_BEGIN)
        table[1] = (struct model_own){NULL, NULL};
    return table;
}
