/* SPDX-License-Identifier: MIT */
#include "ipc_atomic_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "atomic_check.h"
#include "region.h"

/* Stripes of the table that lie in the model's memory, the last ones; all others are not used. */
#define FIRST_STRIPE 124u
#define STRIPE_SIZE 64u /* for objects of up to 40 bytes */
#define STRIPES_AT (FW_IPC_ATOMIC_HEAD_ + FIRST_STRIPE * STRIPE_SIZE)
#define SPACE (FW_IPC_ATOMIC_HEAD_ + FW_IPC_ATOMIC_STRIPES_ * STRIPE_SIZE)

/* Of x; and that of y, where it has another one. */
#define X_STRIPE 124u
#define Y_STRIPE 125u

static struct {
    struct atomic_object *place;
    struct fw_table_stripe_ *stripe;
    uint64_t offset; /* in the region */
} objects[2];

static unsigned char *base;

/* --- For the reader ------------------------------------------------------------------------- */

void ipc_atomic_decode_word(uint32_t word, char *text, size_t text_size)
{
    uint32_t owner = word & FW_ROBUST_OWNER;

    snprintf(text, text_size, "%s%s%c", (word & FW_ROBUST_WAITERS) != 0 ? "WAITERS " : "",
             (word & FW_ROBUST_DIED) != 0 ? "DIED " : "",
             owner == 0 ? '-' : (int)('A' + owner - SUBJECT_FIRST_TID));
}

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    bool is_stripe = offset < SPACE - STRIPES_AT;

    if (is_stripe && size == 4 && offset % STRIPE_SIZE == 0)
        ipc_atomic_decode_word((uint32_t)value, text, text_size);
    else if (is_stripe && offset % STRIPE_SIZE < offsetof(struct fw_table_stripe_, log))
        snprintf(text, text_size, "%" PRIu64, value);
    else
        snprintf(text, text_size, "%0*" PRIx64, (int)size * 2, value);
}

/* --- The region ----------------------------------------------------------------------------- */

/* The first offset from there on with this stripe. */
static uint64_t find_offset(uint64_t from, unsigned stripe)
{
    while (fw_table_index_(from) != stripe)
        from += 8;
    return from;
}

#define AT(of) ((of - FIRST_STRIPE) * STRIPE_SIZE)
#define FIELD(of, called, field, bytes)                                    \
    {                                                                      \
        called, AT(of) + offsetof(struct fw_table_stripe_, field), (bytes) \
    }
#define FIELDS(of, n)                                                           \
    FIELD(of, "lock" n, lock, 4), FIELD(of, "logged" n, logged, 4),             \
        FIELD(of, "sequence" n, sequence, 8), FIELD(of, "offset" n, offset, 8), \
        FIELD(of, "log" n, log, 8), FIELD(of, "log" n "+8", log[8], 8),         \
        FIELD(of, "log" n "+16", log[16], 8)

static void make_region(uint64_t x, uint64_t y)
{
    static struct model_part parts[] = {FIELDS(X_STRIPE, ""), FIELDS(Y_STRIPE, "-y"), {"x", 0, 8},
                                        {"x+8", 0, 8},        {"x+16", 0, 8},         {"y", 0, 8},
                                        {"y+8", 0, 8},        {"y+16", 0, 8},         {NULL, 0, 0}};
    unsigned last = sizeof parts / sizeof *parts - 1;

    for (unsigned i = 0; i < 3; i++) {
        parts[last - 6 + i].offset = (unsigned)(x - STRIPES_AT) + 8 * i;
        parts[last - 3 + i].offset = (unsigned)(y - STRIPES_AT) + 8 * i;
    }
    base =
        model_object("region", (unsigned)((x > y ? x : y) - STRIPES_AT) + MAX_SIZE, parts, decode);
    base -= STRIPES_AT;
    fw_region_ranges_.slots[0] = (struct fw_range_){.generation = 1,
                                                    .base = (uintptr_t)base,
                                                    .size = (x > y ? x : y) + MAX_SIZE,
                                                    .value = {MAX_SIZE, STRIPE_SIZE},
                                                    .is_reserved = 1};
    fw_region_ranges_.used = 1;
}

static void add(unsigned i, struct atomic_object *place, uint64_t offset, enum atomic_shadow newest,
                enum atomic_shadow versions)
{
    *place = (struct atomic_object){base + offset, NULL, newest, versions};
    objects[i].place = place;
    objects[i].offset = offset;
    objects[i].stripe = fw_table_stripe_((char *)base, STRIPE_SIZE, fw_table_index_(offset));
}

void ipc_atomic_setup(void)
{
    static const struct atomic_script plain = {.between_processes = true};
    const struct atomic_script *script = script_options(&plain);
    uint64_t x = find_offset(SPACE, X_STRIPE);
    uint64_t y = find_offset(x + MAX_SIZE, script->shares ? X_STRIPE : Y_STRIPE);

    atomic_size = script->size == 0 ? 24 : script->size;
    make_region(x, y);
    add(0, &atomic_x, x, NEWEST_X, VERSIONS_X);
    add(1, &atomic_y, y, NEWEST_Y, VERSIONS_Y);
    atomic_script_begin(script);
}

enum model_access ipc_atomic_access(const void *p)
{
    (void)p;
    return ACCESS_STEP;
}

/* --- The lock ------------------------------------------------------------------------------- */

static uint32_t owner_of(uint32_t word)
{
    return word & FW_ROBUST_OWNER;
}

/* Is the change one of the word's table in robust_lock.c?  Who makes it has this id. */
static bool is_legal(unsigned thread, uint32_t before, uint32_t now)
{
    uint32_t id = SUBJECT_FIRST_TID + thread;
    uint32_t waiters = before & FW_ROBUST_WAITERS;
    unsigned owner = owner_of(before) - SUBJECT_FIRST_TID;

    if (owner_of(now) == owner_of(before)) /* a waiter; or who has woken nobody */
        return now == (before | FW_ROBUST_WAITERS) || (before == FW_ROBUST_WAITERS && now == 0);
    if (owner_of(now) == 0)
        return owner_of(before) == id &&
               now == (waiters | (model_is_killed(thread) ? FW_ROBUST_DIED : 0));
    if (owner_of(now) != id || (now & FW_ROBUST_DIED) != 0 || (now & waiters) != waiters)
        return false;
    return owner_of(before) == 0 ||
           (model_is_killed(owner) && model_threads[owner].status == THREAD_DONE);
}

void ipc_atomic_check_word(unsigned thread, uint32_t before, uint32_t now)
{
    if (before != now && !is_legal(thread, before, now))
        model_fail("word", "the lock was 0x%llx, and becomes 0x%llx", before, now);
}

/* --- Objects and stripes -------------------------------------------------------------------- */

static bool is_whole(const unsigned char *bytes)
{
    for (unsigned i = 1; i < atomic_size; i++)
        if (bytes[i] != bytes[0])
            return false;
    return true;
}

static uint64_t newest(unsigned i)
{
    const struct atomic_object *p = objects[i].place;

    return model_shared.shadow[p->versions + *shadow(p->newest)];
}

/* From now on it is the value of the object that the log names. */
static void declare(const struct fw_table_stripe_ *stripe)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t *n = &model_shared.shadow[objects[i].place->newest];
        if (objects[i].stripe != stripe || objects[i].offset != stripe->offset)
            continue;
        if (++*n == MAX_VERSIONS)
            model_fail("too many", "the program stores more than %llu values", MAX_VERSIONS - 1, 0);
        else
            model_shared.shadow[objects[i].place->versions + *n] = stripe->log[0];
    }
}

static bool is_log_valid(const struct fw_table_stripe_ *stripe)
{
    for (unsigned i = 0; i < 2; i++)
        if (objects[i].stripe == stripe && objects[i].offset == stripe->offset)
            return stripe->logged == atomic_size && (stripe->sequence & 1) != 0 &&
                   is_whole(stripe->log) && stripe->log[0] == newest(i);
    return false;
}

static void check_stripe(const struct fw_table_stripe_ *stripe)
{
    bool is_free = (stripe->lock & (FW_ROBUST_OWNER | FW_ROBUST_DIED)) == 0;

    if (is_free && (stripe->sequence & 1) != 0)
        model_fail("word", "the lock is free, and the sequence is %llu", stripe->sequence, 0);
    if (stripe->logged != 0 && !is_log_valid(stripe))
        model_fail("log", "%llu bytes are declared, and that is not what is to be written",
                   stripe->logged, 0);
    for (unsigned i = 0; i < 2 && stripe->logged == 0; i++) {
        const unsigned char *object = objects[i].place->object;
        if (objects[i].stripe == stripe && (!is_whole(object) || object[0] != newest(i)))
            model_fail("half done", "the object begins with %llu, the newest version is %llu",
                       object[0], newest(i));
    }
}

static void check_owner(unsigned thread, const struct fw_table_stripe_ *stripe)
{
    if (owner_of(stripe->lock) != SUBJECT_FIRST_TID + thread)
        model_fail("owner", "thread %llu writes without the lock", thread, 0);
}

static void check_fields(unsigned thread, const struct fw_table_stripe_ *stripe, uint64_t at,
                         uint64_t before)
{
    if (at != offsetof(struct fw_table_stripe_, lock)) {
        check_owner(thread, stripe);
        if (at == offsetof(struct fw_table_stripe_, sequence) && stripe->sequence != before + 1)
            model_fail("word", "the sequence was %llu, and becomes %llu", before, stripe->sequence);
        return;
    }
    ipc_atomic_check_word(thread, (uint32_t)before, stripe->lock);
    if ((uint32_t)(before >> 32) == stripe->logged)
        return;
    check_owner(thread, stripe);
    if (stripe->logged != 0 && before >> 32 == 0)
        declare(stripe);
}

/* Only a plain store is not seen here: those to the log. */
void ipc_atomic_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)base;
    bool is_known = false;

    for (unsigned i = 0; i < 2; i++) {
        const struct fw_table_stripe_ *stripe = objects[i].stripe;
        uint64_t stripe_at = (uint64_t)((const unsigned char *)stripe - base);
        if (at - stripe_at < STRIPE_SIZE) {
            if (!is_known)
                check_fields(thread, stripe, at - stripe_at, before);
            is_known = true;
        } else if (at - objects[i].offset < (atomic_size + 7) / 8 * 8) {
            check_owner(thread, stripe);
            is_known = true;
        }
        check_stripe(stripe);
    }
    if (!is_known)
        model_fail("stray access", "at 0x%llx of the region", at, 0);
}

void ipc_atomic_finished(void)
{
    for (unsigned i = 0; i < 2; i++)
        if (model_shared.killed == 0 &&
            ((objects[i].stripe->lock & ~FW_ROBUST_WAITERS) != 0 || objects[i].stripe->logged != 0))
            model_fail("word", "all are done, and the lock is 0x%llx", objects[i].stripe->lock, 0);
}
