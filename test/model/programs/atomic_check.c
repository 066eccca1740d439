/* SPDX-License-Identifier: MIT */
#include "atomic_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <furwock/bits/atomic.h>

#include "sys/single_threaded.h"

static const struct model_part parts[] = {
    {"word", 0, 4}, {"sequence", 8, 8}, {"word2", 64, 4}, {"sequence2", 72, 8}, {NULL, 0, 0}};

struct fw_stripe_ (*subject_stripes)[FW_STRIPES_];
struct atomic_object atomic_x, atomic_y;
uint64_t *atomic_flag;
uint32_t *atomic_opened;
unsigned atomic_size;

static const struct atomic_script *script;

/* --- The objects ---------------------------------------------------------------------------- */

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    uint32_t w = (uint32_t)value;

    (void)offset;
    if (size == 8)
        snprintf(text, text_size, "%" PRIu64, value);
    else
        snprintf(text, text_size, "%s%s%u", fw_word_lock_is_held_(w) ? "HELD " : "",
                 (w & FW_WORD_LOCK_WAKING_) != 0 ? "WAKING " : "", w << 2 >> 2);
}

static void decode_bytes(uint64_t value, unsigned offset, unsigned size, char *text,
                         size_t text_size)
{
    (void)offset;
    snprintf(text, text_size, "%0*" PRIx64, (int)size * 2, value);
}

/* How far to look for an address with the stripe that is wanted. */
enum { SPARE = 120 };

/* An object with this stripe: the shipped hash finds another one for the next addresses. */
static struct atomic_object object(const char *name, unsigned stripe, enum atomic_shadow newest,
                                   enum atomic_shadow versions)
{
    unsigned char *block = model_object(name, atomic_size + SPARE, NULL, decode_bytes);

    for (unsigned i = 0; i <= SPARE; i += 8)
        if (fw_stripe_index_(block + i) == stripe)
            return (struct atomic_object){block + i, &(*subject_stripes)[stripe], newest, versions};
    fputs("fw-model: no address for this stripe\n", stderr);
    exit(3);
}

void atomic_check_setup(const struct atomic_script *of)
{
    script = of;
    atomic_size = script->size == 0 ? 16 : script->size;
    subject_stripes = model_object("stripes", 88, parts, decode); /* as far as they are used */
    atomic_x = object("x", 0, NEWEST_X, VERSIONS_X);
    atomic_y = object("y", script->shares ? 0 : 1, NEWEST_Y, VERSIONS_Y);
    atomic_flag = model_object("flag", sizeof *atomic_flag, NULL, NULL);
    atomic_opened = model_object("opened", sizeof *atomic_opened, NULL, NULL);
    atomic_x.stripe->lock.word = script->word;
    atomic_x.stripe->sequence = script->sequence;
}

static bool is_whole(const unsigned char *bytes)
{
    for (unsigned i = 1; i < atomic_size; i++)
        if (bytes[i] != bytes[0])
            return false;
    return true;
}

/* A new version is there as soon as the sequence says so. */
static void note(const struct atomic_object *p)
{
    uint64_t *newest = shadow(p->newest);
    unsigned char value = p->object[0];

    if (value == MODEL_DEAD || (p->stripe->sequence & 1) != 0 || !is_whole(p->object) ||
        value == *shadow(p->versions + *newest))
        return;
    if (++*newest == MAX_VERSIONS)
        model_fail("too many", "the program stores more than %llu values", MAX_VERSIONS - 1, 0);
    else
        *shadow(p->versions + *newest) = value;
}

static void check_word(uint32_t w)
{
    uint32_t registered = w & ~(FW_WORD_LOCK_HELD_ | FW_WORD_LOCK_WAKING_);

    if (registered > model_thread_count)
        model_fail("word", "0x%llx", w, 0);
}

void atomic_script_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    (void)thread;
    (void)addr;
    (void)before;
    note(&atomic_x);
    note(&atomic_y);
    if (script->word != 0 && *shadow(IS_CHILD) == 0)
        return; /* what a fork has left */
    for (unsigned i = 0; i < FW_STRIPES_; i++)
        check_word((*subject_stripes)[i].lock.word);
}

uint64_t atomic_check_version(unsigned self, const struct atomic_object *p,
                              const unsigned char *bytes, uint64_t since)
{
    if (subject_is_single_threaded()) /* its stores may still be under way */
        fw_fence_seq_cst();
    if (!is_whole(bytes))
        model_thread_fail("torn", "thread %llu reads half a value", self, 0);
    for (uint64_t k = *shadow(p->newest) + 1; k-- > since;)
        if (*shadow(p->versions + k) == bytes[0])
            return k;
    model_thread_fail("out of date", "thread %llu reads %llu, which is not there (any more)", self,
                      bytes[0]);
}

/* --- In the end ----------------------------------------------------------------------------- */

void atomic_script_finished(void)
{
    bool nobody_saw = script->buffers;

    if (model_shared.asleep > 0) /* a program in which that is right */
        return;
    for (unsigned i = 0; i < FW_STRIPES_; i++) {
        const struct fw_stripe_ *s = &(*subject_stripes)[i];

        if (s->lock.word != 0 || (s->sequence & 1) != 0)
            model_fail("word", "all are done, and 0x%llx is left, and the sequence %llu",
                       s->lock.word, s->sequence);
    }
    for (unsigned i = 0; i < model_thread_count; i++)
        nobody_saw = nobody_saw && *shadow(SEEN + i) == 1;
    if (nobody_saw)
        model_fail("outcome", "all have stored, and nobody has seen the other's store", 0, 0);
}
