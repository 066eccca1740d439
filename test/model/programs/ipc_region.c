/* SPDX-License-Identifier: MIT */
#include "ipc_region.h"

#include <stdio.h>

#include "../subject/robust.h"
#include "ipc/region/mapping.h"

/* subject/atomic.h: SUBJECT_OWN. */
#define IPC_SHIPPED_BEGIN __start_model_own_variables
#define IPC_SHIPPED_END __stop_model_own_variables

/* No thread has more at a time; those beyond stay as they are. */
#define SHARES_USED 2u

#define SLOT_BYTES FW_IPC_PARTICIPANT_SIZE
#define PART(n, field, bytes)                                                                \
    {                                                                                        \
#field "-" #n, (n)*SLOT_BYTES + offsetof(struct fw_ipc_participant_, field), (bytes) \
    }
#define PARTS(n)                                                                 \
    PART(n, life, 8), PART(n, life, 4), PART(n, ids, 8), PART(n, introduced, 8), \
        PART(n, shares[0], 8), PART(n, shares[0], 4), PART(n, shares[1], 8), PART(n, shares[1], 4)

static const struct model_part slot_parts[] = {
    PARTS(0), PARTS(1), PARTS(2), PARTS(3), {NULL, 0, 0}};

struct fw_ipc_participant_ *region_slots;
const struct fw_ipc_mapping_ *region_mapping;

static unsigned slot_count;
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

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    uint32_t low = (uint32_t)value;

    if (offset % SLOT_BYTES != offsetof(struct fw_ipc_participant_, life))
        snprintf(text, text_size, "%llx", (unsigned long long)value);
    else if (size == 4)
        snprintf(text, text_size, "%08x", low);
    else if (tenant(value) != 0)
        snprintf(text, text_size, "%c (slot generation %u)",
                 (int)('A' + tenant(value) - SUBJECT_FIRST_TID), (unsigned)(value >> 32));
    else
        snprintf(text, text_size, "%s (slot generation %u)",
                 (low & FW_ROBUST_DIED) != 0 ? "DIED" : "free", (unsigned)(value >> 32));
}

void region_decode_holder(uint64_t id, char *text, size_t text_size)
{
    unsigned thread = region_thread_of(id);

    if ((id & FW_IPC_HOLDER) == 0)
        snprintf(text, text_size, "nobody");
    else if ((id & FW_IPC_HOLDER) == FW_IPC_ABANDONED)
        snprintf(text, text_size, "NOBODY");
    else if (thread < MODEL_MAX_THREADS)
        snprintf(text, text_size, "%c", 'A' + (int)thread);
    else
        snprintf(text, text_size, "dead %u:%u", (unsigned)(id & FW_IPC_SLOT) - 1,
                 (unsigned)slot_generation(id));
}

/* --- The region ----------------------------------------------------------------------------- */

static void register_thread(unsigned thread)
{
    struct fw_ipc_participant_ *m = &region_slots[thread];
    uint32_t tid = SUBJECT_FIRST_TID + thread;

    m->life = UINT64_C(1) << 32 | tid | (model_program->unmarked ? 0 : FW_ROBUST_WAITERS);
    m->ids = (uint64_t)(SUBJECT_FIRST_PROCESS + thread) << 32 | tid;
    m->here_since = tid;
    m->pid_namespace = 1;
    m->introduced = 1;
}

void region_make(unsigned slots, bool joined)
{
    static struct fw_ipc_own_slot_ nobody_joins[FW_IPC_PARTICIPANTS_MAX];
    struct fw_ipc_mapping_ *mapping = &fw_ipc_mappings_[0];
    struct fw_ipc_head_ *head = model_object("head", sizeof *head, NULL, NULL);

    region_slots = model_object("slot", slots * SLOT_BYTES, slot_parts, decode);
    slot_count = slots;
    have_joined = joined;
    subject_is_one_process = false;
    *mapping = (struct fw_ipc_mapping_){.base = (uintptr_t)model_memory,
                                        .size = MODEL_MEMORY,
                                        .generation = 1,
                                        .head = head,
                                        .participants = region_slots,
                                        .participant_count = slots,
                                        .own_slots = nobody_joins};
    fw_ipc_ranges_.slots[0] = (struct fw_range_){
        .generation = 1, .base = mapping->base, .size = mapping->size, .is_reserved = 1};
    fw_ipc_ranges_.used = 1;
    if (!joined) /* what a process knows by itself (SLOT4) is no step, but a part of the state */
        mapping->own_slots =
            model_object("had", slots * (unsigned)sizeof *mapping->own_slots, NULL, NULL);
    region_mapping = mapping;
    head->participants_used = joined ? slots : 0;
    for (unsigned i = 0; joined && i < model_thread_count; i++)
        register_thread(i);
}

/* Each family's table of calls begins so. */
static const struct ipc_region_calls *calls_below(void)
{
    return calls_in_use[model_program->hooks->family];
}

void region_begin(unsigned self)
{
    struct fw_ipc_participant_ *m = &region_slots[self];

    if (!have_joined)
        return;
    subject_robust_begin((uint32_t *)(void *)&m->life);
    *calls_below()->self() = (struct fw_ipc_self_){
        .base = region_mapping->base,
        .size = region_mapping->size - sizeof(fw_ipc_mutex),
        .epoch = fw_ipc_epoch_(),
        .me = {.mapping = region_mapping, .participant = m, .id = UINT64_C(1) << 32 | (self + 1)}};
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

enum model_access region_access(const void *p)
{
    uintptr_t at = (uintptr_t)p - (uintptr_t)region_slots;

    if ((uintptr_t)p == (uintptr_t)&region_mapping->head->participants_used ||
        (uintptr_t)p == (uintptr_t)&region_mapping->head->asked_last ||
        (uintptr_t)p == (uintptr_t)&region_mapping->head->alarm)
        return ACCESS_DIRECT; /* for tools; where the next one asks; what nobody changes */
    if (at >= slot_count * SLOT_BYTES)
        return ACCESS_STEP;
    if (at % SLOT_BYTES >= offsetof(struct fw_ipc_participant_, former) &&
        at % SLOT_BYTES < offsetof(struct fw_ipc_participant_, shares))
        return ACCESS_DIRECT;
    if (at % SLOT_BYTES >= offsetof(struct fw_ipc_participant_, shares) + SHARES_USED * 8)
        return ACCESS_DIRECT;
    switch (at % SLOT_BYTES) {
    case offsetof(struct fw_ipc_participant_, waits_for):
    case offsetof(struct fw_ipc_participant_, waits_since):
    case offsetof(struct fw_ipc_participant_, waits_how):
    case offsetof(struct fw_ipc_participant_, asked_at): /* no question is left out here */
        return ACCESS_NONE;
    case offsetof(struct fw_ipc_participant_, here_since):
    case offsetof(struct fw_ipc_participant_, pid_namespace):
        return ACCESS_DIRECT;
    case offsetof(struct fw_ipc_participant_, life):
        return is_idle_look() ? ACCESS_DIRECT : ACCESS_STEP;
    case offsetof(struct fw_ipc_participant_, ids):
    case offsetof(struct fw_ipc_participant_, introduced):
        return have_joined ? ACCESS_DIRECT : ACCESS_STEP;
    default:
        return ACCESS_STEP;
    }
}

/* --- Who is who ----------------------------------------------------------------------------- */

unsigned region_tenant_of(uint64_t id)
{
    uint64_t slot = (id & FW_IPC_SLOT) - 1;
    unsigned thread;

    if (slot >= slot_count || slot_generation(region_slots[slot].life) != slot_generation(id))
        return MODEL_MAX_THREADS;
    thread = tenant(region_slots[slot].life) - SUBJECT_FIRST_TID;
    return thread < model_thread_count ? thread : MODEL_MAX_THREADS;
}

unsigned region_thread_of(uint64_t id)
{
    unsigned thread = region_tenant_of(id);

    return thread < MODEL_MAX_THREADS && !model_is_killed(thread) ? thread : MODEL_MAX_THREADS;
}

uint64_t region_id_of(unsigned thread)
{
    for (unsigned i = 0; i < slot_count && !model_is_killed(thread); i++)
        if (tenant(region_slots[i].life) == SUBJECT_FIRST_TID + thread)
            return slot_generation(region_slots[i].life) << 32 | (i + 1);
    return 0;
}

/* --- Checks --------------------------------------------------------------------------------- */

static bool is_line_of_dead(uint64_t life)
{
    uint32_t tid = tenant(life);

    return tid >= SUBJECT_FIRST_TID && model_is_killed(tid - SUBJECT_FIRST_TID);
}

/* The thread takes the line: does it have another one? */
static void check_claim(unsigned thread, uint64_t before, uint64_t now)
{
    unsigned slots = 0;

    for (unsigned i = 0; i < slot_count; i++)
        slots += tenant(region_slots[i].life) == SUBJECT_FIRST_TID + thread;
    if (tenant(now) != SUBJECT_FIRST_TID + thread)
        model_fail("participant", "thread %llu enters another's name into a slot: 0x%llx", thread,
                   now);
    else if (tenant(before) != 0)
        model_fail("participant", "thread %llu takes the slot of another: 0x%llx", thread, before);
    else if (slot_generation(now) != slot_generation(before) + 1)
        model_fail("participant", "a slot is taken, and its slot generation is 0x%llx after 0x%llx",
                   slot_generation(now), slot_generation(before));
    else if (slots > 1)
        model_fail("participant", "thread %llu takes a second slot", thread, 0);
}

void region_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)region_slots;
    uint64_t now;

    if (at >= slot_count * SLOT_BYTES ||
        at % SLOT_BYTES != offsetof(struct fw_ipc_participant_, life))
        return;
    now = region_slots[at / SLOT_BYTES].life;
    if (now == (before | FW_ROBUST_WAITERS) && tenant(now) == SUBJECT_FIRST_TID + thread)
        return; /* the kernel knows it */
    if (tenant(now) != 0)
        check_claim(thread, before, now);
    else if (slot_generation(now) != slot_generation(before))
        model_fail("participant",
                   "nobody takes a slot, and its slot generation changes: 0x%llx, 0x%llx", before,
                   now);
    else if (((uint32_t)now & FW_ROBUST_DIED) != 0 && !is_line_of_dead(before))
        model_fail("participant", "the slot of one that lives is marked: 0x%llx", before, 0);
    else if ((uint32_t)now == 0 && tenant(before) != SUBJECT_FIRST_TID + thread)
        model_fail("participant", "thread %llu gives back what is another's: 0x%llx", thread,
                   before);
}

/* --- Variables of their own ----------------------------------------------------------------- */

extern uint8_t IPC_SHIPPED_BEGIN[], IPC_SHIPPED_END[];

const struct model_own *region_own(void)
{
    const struct ipc_region_calls *calls = calls_below();
    static struct model_own table[3];

    table[0] = (struct model_own){.begin = IPC_SHIPPED_BEGIN, .end = IPC_SHIPPED_END};
    table[1] = calls->own;
    if (calls->own.begin == IPC_SHIPPED_BEGIN)
        table[1] = (struct model_own){.begin = NULL};
    return table;
}
