/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "store.h"

/*
 * A part: the fixed bytes (struct model_shared, the memory, or a struct model_thread), then the
 * live stack.
 */
struct part {
    uint64_t hash;
    uint32_t fixed, stack;
    uint8_t bytes[];
};

#define CHUNK (1u << 21)

static struct pages part_pages, part_table_pages, follower_pages, state_pages, state_table_pages;
static struct part **parts;
#define WAYS 8u /* of each part: what it was found to be next, the last times, by a hint; or 0 */
static uint32_t (*followers)[WAYS];
static uint32_t part_count, part_capacity;
static uint32_t *part_table; /* open addressing; 0 is empty, else number + 1 */
static uint32_t part_mask;

struct store_state *store_states;
uint32_t store_count;
static uint32_t state_capacity;
static uint64_t *state_table; /* the same, with half of the hash above: few others are looked at */
static uint32_t state_mask;

static struct pages *chunks;
static size_t chunk_capacity, chunk_count, chunk_used;

/* What lies in the live structures at the moment; STORE_NONE: not known. */
static uint32_t present[STORE_PARTS];

__extension__ typedef unsigned __int128 wide;

static uint64_t mix(uint64_t h, uint64_t v)
{
    wide product = (wide)(h ^ v) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two words by one multiplication. */
static uint64_t mix_pair(uint64_t h, const uint8_t *bytes)
{
    uint64_t v[2];
    wide product;

    memcpy(v, bytes, sizeof v);
    product = (wide)(v[0] ^ UINT64_C(0x9e3779b97f4a7c15)) * (v[1] ^ h);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * Sizes are multiples of 8: structures of 64-bit fields, and stack pointers at a call.  In four
 * lanes, since the processor multiplies faster than it has a product.
 */
static uint64_t hash_bytes(uint64_t h, const uint8_t *bytes, size_t size)
{
    uint64_t a = h, b = 1, c = 2, d = 3;
    size_t i = 0;

    for (; i + 64 <= size; i += 64) {
        a = mix_pair(a, bytes + i);
        b = mix_pair(b, bytes + i + 16);
        c = mix_pair(c, bytes + i + 32);
        d = mix_pair(d, bytes + i + 48);
    }
    for (; i < size; i += 8) {
        uint64_t v;

        memcpy(&v, bytes + i, sizeof v);
        a = mix(a, v);
    }
    return mix(mix(mix(a, b), c), d);
}

static void add_chunk(void)
{
    if (chunk_count == chunk_capacity) {
        chunks = pages_need(realloc(chunks, (chunk_capacity + 1) * sizeof *chunks));
        chunks[chunk_capacity++] = (struct pages){NULL, 0};
    }
    pages_grow(&chunks[chunk_count++], CHUNK);
    chunk_used = 0;
}

static void *allocate(size_t size)
{
    uint8_t *p;

    size = (size + 7) & ~(size_t)7;
    if (chunk_count == 0 || chunk_used + size > CHUNK)
        add_chunk();
    p = (uint8_t *)chunks[chunk_count - 1].at + chunk_used;
    chunk_used += size;
    return p;
}

static void make_space_for_parts(uint32_t capacity)
{
    part_capacity = capacity;
    part_mask = capacity * 2 - 1;
    parts = pages_grow(&part_pages, capacity * sizeof *parts);
    followers = pages_zeroed(&follower_pages, capacity * sizeof *followers);
    part_table = pages_zeroed(&part_table_pages, (part_mask + 1u) * sizeof *part_table);
}

static void make_space_for_states(uint32_t capacity)
{
    state_capacity = capacity;
    state_mask = capacity * 2 - 1;
    store_states = pages_grow(&state_pages, capacity * sizeof *store_states);
    state_table = pages_zeroed(&state_table_pages, (state_mask + 1u) * sizeof *state_table);
}

void store_forget(void)
{
    for (unsigned i = 0; i < STORE_PARTS; i++)
        present[i] = STORE_NONE;
}

void store_reset(void)
{
    chunk_count = 0;
    part_count = store_count = 0;
    make_space_for_parts(1u << 12);
    make_space_for_states(1u << 12);
    store_forget();
}

static void grow_parts(void)
{
    if (part_count < part_capacity)
        return;
    make_space_for_parts(part_capacity * 2);
    for (uint32_t i = 0; i < part_count; i++) {
        uint32_t slot = (uint32_t)parts[i]->hash & part_mask;
        while (part_table[slot] != 0)
            slot = (slot + 1) & part_mask;
        part_table[slot] = i + 1;
    }
}

static bool is_part(const struct part *p, const void *fixed, uint32_t size, const void *stack,
                    uint32_t depth)
{
    return p->fixed == size && p->stack == depth && memcmp(p->bytes, fixed, size) == 0 &&
           memcmp(p->bytes + size, stack, depth) == 0;
}

static uint32_t intern(const void *fixed, uint32_t size, const void *stack, uint32_t depth)
{
    uint64_t hash = hash_bytes(hash_bytes(size + depth, fixed, size), stack, depth);
    uint32_t slot = (uint32_t)hash & part_mask;
    struct part *p;

    for (; part_table[slot] != 0; slot = (slot + 1) & part_mask) {
        p = parts[part_table[slot] - 1];
        if (p->hash == hash && is_part(p, fixed, size, stack, depth))
            return part_table[slot] - 1;
    }
    p = allocate(sizeof *p + size + depth);
    p->hash = hash;
    p->fixed = size;
    p->stack = depth;
    memcpy(p->bytes, fixed, size);
    memcpy(p->bytes + size, stack, depth);
    parts[part_count] = p;
    part_table[slot] = ++part_count;
    grow_parts();
    return part_count - 1;
}

/*
 * The same for what was the part `before`, if known: it is still that, or what became of that the
 * last time with this hint, or is looked for.
 */
static uint32_t follow(uint32_t before, uint64_t hint, const void *fixed, uint32_t size,
                       const void *stack, uint32_t depth)
{
    uint32_t *next;

    if (before == STORE_NONE)
        return intern(fixed, size, stack, depth);
    if (is_part(parts[before], fixed, size, stack, depth))
        return before;
    hint *= UINT64_C(0x9e3779b97f4a7c15);
    next = &followers[before][hint >> 61];
    if (!is_part(parts[*next], fixed, size, stack, depth)) {
        uint32_t number = intern(fixed, size, stack, depth);

        next = &followers[before][hint >> 61]; /* there may be a new table */
        *next = number;
    }
    return *next;
}

/* Part 0 is the shared one, part 1 the memory, and after these come the threads. */
enum { PART_SHARED, PART_MEMORY, PART_THREAD };

static unsigned parts_in_use(void)
{
    return PART_THREAD + model_thread_count;
}

static uint32_t number_of(unsigned k, struct model_choice made)
{
    uint64_t hint = made.thread * 256u + made.what;
    const void *fixed = &model_shared;
    uint32_t size = sizeof model_shared;
    const void *stack = model_memory; /* any address will do */
    uint32_t depth = 0;

    if (k == PART_MEMORY) {
        fixed = model_memory;
        size = model_memory_used;
    } else if (k >= PART_THREAD) {
        const struct model_thread *t = &model_threads[k - PART_THREAD];
        fixed = t;
        size = sizeof *t;
        stack = t->sp;
        hint += (t->op.kind << 16) ^ (t->op.addr << 20) ^ (t->op.a << 28) ^ (uintptr_t)stack << 13;
        depth = (uint32_t)(model_stacks[k - PART_THREAD] + MODEL_STACK - (const uint8_t *)stack);
    }
    return follow(present[k], hint, fixed, size, stack, depth);
}

static uint64_t hash_state(const uint32_t *part)
{
    uint64_t h = hash_bytes(0, (const uint8_t *)part, STORE_PARTS * sizeof *part);

    return h ^ h >> 32;
}

static uint64_t tag_of(uint64_t hash)
{
    return hash & ~(uint64_t)UINT32_MAX;
}

static void grow_states(void)
{
    if (store_count < state_capacity)
        return;
    make_space_for_states(state_capacity * 2);
    for (uint32_t i = 0; i < store_count; i++) {
        uint64_t hash = hash_state(store_states[i].part);
        uint32_t slot = (uint32_t)hash & state_mask;
        while (state_table[slot] != 0)
            slot = (slot + 1) & state_mask;
        state_table[slot] = tag_of(hash) | (i + 1);
    }
}

void store_note(struct store_note *note, struct model_choice made)
{
    for (unsigned k = 0; k < STORE_PARTS; k++)
        present[k] = note->part[k] = k < parts_in_use() ? number_of(k, made) : 0;
    note->hash = hash_state(note->part);
    __builtin_prefetch(&state_table[(uint32_t)note->hash & state_mask]);
}

void store_fetch(const struct store_note *note)
{
    uint64_t slot = state_table[(uint32_t)note->hash & state_mask];

    if (slot != 0 && tag_of(slot) == tag_of(note->hash))
        __builtin_prefetch(&store_states[(uint32_t)slot - 1]);
}

uint32_t store_put(const struct store_note *note, uint32_t parent, struct model_choice choice,
                   bool *is_new)
{
    uint32_t slot = (uint32_t)note->hash & state_mask;
    struct store_state *s;

    for (; state_table[slot] != 0; slot = (slot + 1) & state_mask) {
        uint32_t i = (uint32_t)state_table[slot] - 1;
        if (tag_of(state_table[slot]) == tag_of(note->hash) &&
            memcmp(store_states[i].part, note->part, sizeof note->part) == 0) {
            *is_new = false;
            return i;
        }
    }
    s = &store_states[store_count];
    memcpy(s->part, note->part, sizeof s->part);
    s->parent = parent;
    s->choice = choice;
    state_table[slot] = tag_of(note->hash) | ++store_count;
    grow_states();
    *is_new = true;
    return store_count - 1;
}

static void load_thread(unsigned thread, const struct part *p)
{
    uint8_t *top = model_stacks[thread] + MODEL_STACK;
    uint8_t *old = model_threads[thread].sp;

    memcpy(&model_threads[thread], p->bytes, p->fixed);
    memcpy(top - p->stack, p->bytes + p->fixed, p->stack);
    if (old < top - p->stack) /* dead bytes: thread.c */
        memset(old, MODEL_DEAD, (size_t)(top - p->stack - old));
}

void store_load(uint32_t state)
{
    const struct store_state *s = &store_states[state];

    for (unsigned k = 0; k < parts_in_use(); k++) {
        const struct part *p = parts[s->part[k]];
        if (present[k] == s->part[k])
            continue;
        if (k == PART_SHARED)
            memcpy(&model_shared, p->bytes, p->fixed);
        else if (k == PART_MEMORY)
            memcpy(model_memory, p->bytes, p->fixed);
        else
            load_thread(k - PART_THREAD, p);
        present[k] = s->part[k];
    }
}

uint32_t store_part_count(void)
{
    return part_count;
}

uint64_t store_bytes(void)
{
    uint64_t per_part = sizeof *parts + sizeof *followers + 2 * sizeof *part_table;

    return (uint64_t)chunk_count * CHUNK + part_capacity * per_part +
           (uint64_t)state_capacity * (sizeof *store_states + 8);
}
