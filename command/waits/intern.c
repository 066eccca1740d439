/* SPDX-License-Identifier: MIT */
/* Contracts: intern.h, and of stacks.h what has no process. */
#include "intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Sets ------------------------------------------------------------------------------------- */

void *intern_find(const struct intern *set, uint64_t hash, const void *like,
                  int (*is_same)(const void *a, const void *b))
{
    if (set->size == 0)
        return NULL;
    for (unsigned i = (unsigned)hash & (set->size - 1); set->table[i] != 0;
         i = (i + 1) & (set->size - 1))
        if (is_same(set->all[set->table[i] - 1], like))
            return set->all[set->table[i] - 1];
    return NULL;
}

static void put(struct intern *set, uint64_t hash, unsigned number)
{
    unsigned i = (unsigned)hash & (set->size - 1);

    while (set->table[i] != 0)
        i = (i + 1) & (set->size - 1);
    set->table[i] = number + 1;
}

unsigned intern_add(struct intern *set, void *thing, uint64_t (*hash_of)(const void *thing))
{
    if (2 * (set->count + 1) > set->size) {
        set->size = set->size == 0 ? 256 : 2 * set->size;
        free(set->table);
        set->table = must(calloc(set->size, sizeof *set->table));
        set->all = must(realloc(set->all, set->size / 2 * sizeof *set->all));
        for (unsigned i = 0; i < set->count; i++)
            put(set, hash_of(set->all[i]), i);
    }
    set->all[set->count] = thing;
    put(set, hash_of(thing), set->count);
    return set->count++;
}

/* FNV-1a. */
uint64_t intern_hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

uint64_t intern_hash_text(uint64_t seed, const char *text)
{
    return text == NULL ? seed + 1 : intern_hash(seed, text, strlen(text));
}

static uint64_t hash_of_text(const void *text)
{
    return intern_hash_text(0, text);
}

static int is_same_text(const void *a, const void *b)
{
    return strcmp(a, b) == 0;
}

const char *intern_text(const char *text)
{
    static struct intern texts;

    if (text == NULL)
        return NULL;
    char *found = intern_find(&texts, hash_of_text(text), text, is_same_text);
    if (found == NULL) {
        found = must(strdup(text));
        intern_add(&texts, found, hash_of_text);
    }
    return found;
}

/* --- Frames ----------------------------------------------------------------------------------- */

static struct intern frames, stacks;

/* Their texts are interned: the same where the pointers are. */
static uint64_t hash_of_frame(const void *thing)
{
    const struct waits_frame *f = thing;
    uint64_t parts[] = {
        (uintptr_t)f->function, (uintptr_t)f->called, (uintptr_t)f->module, f->offset, f->address,
        (uint64_t)f->line};

    return intern_hash(f->is_guess, parts, sizeof parts);
}

static int is_same_frame(const void *x, const void *y)
{
    const struct waits_frame *a = x, *b = y;

    return a->function == b->function && a->called == b->called && a->file == b->file &&
           a->module == b->module && a->offset == b->offset && a->address == b->address &&
           a->line == b->line && a->is_guess == b->is_guess;
}

const struct waits_frame *stacks_frame(const struct waits_frame *like)
{
    struct waits_frame frame = *like, *found;

    frame.function = intern_text(like->function);
    frame.called = intern_text(like->called);
    frame.file = intern_text(like->file);
    frame.module = intern_text(like->module);
    /* Where the same code is mapped does not matter, if it has a name. */
    if (frame.function != NULL && frame.module != NULL)
        frame.address = 0;
    found = intern_find(&frames, hash_of_frame(&frame), &frame, is_same_frame);
    if (found == NULL) {
        found = must(malloc(sizeof *found));
        *found = frame;
        found->id = intern_add(&frames, found, hash_of_frame);
    }
    return found;
}

const struct waits_frame *stacks_frame_at(unsigned id)
{
    return id < frames.count ? frames.all[id] : NULL;
}

/* --- Stacks ----------------------------------------------------------------------------------- */

static uint64_t hash_of_stack(const void *thing)
{
    const struct waits_stack *s = thing;

    return intern_hash(s->count, s->frames, s->count * sizeof *s->frames);
}

static int is_same_stack(const void *x, const void *y)
{
    const struct waits_stack *a = x, *b = y;

    return a->count == b->count && memcmp(a->frames, b->frames, a->count * sizeof *a->frames) == 0;
}

/* What implements locks: by the beginnings of file names of libraries, and of functions. */
static const char *const libraries[] = {"libc.so",   "libc-",  "libpthread",  "ld-",   "libfurwock",
                                        "libstdc++", "libc++", "libpthread-", "[vdso]"};
static const char *const functions[] = {"std::sync::",
                                        "std::sys::",
                                        "<std::",
                                        "core::",
                                        "parking_lot",
                                        "<parking_lot",
                                        "lock_api",
                                        "<lock_api",
                                        "std::mutex::",
                                        "std::unique_lock",
                                        "std::lock_guard",
                                        "std::scoped_lock",
                                        "std::condition_variable",
                                        "std::__",
                                        "__gthread_",
                                        "runtime.",
                                        "sync.(*",
                                        "internal/sync",
                                        "internal/runtime",
                                        "fw_",
                                        "pthread_",
                                        "__pthread",
                                        "PyThread_",
                                        "__libc_",
                                        "_lll_",
                                        "__lll_",
                                        "syscall",
                                        "nsync_"};

static bool begins_with_any(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

static bool is_of_locks(const struct waits_frame *f)
{
    const char *slash = f->module != NULL ? strrchr(f->module, '/') : NULL;

    return (slash != NULL &&
            begins_with_any(slash + 1, libraries, sizeof libraries / sizeof *libraries)) ||
           (f->function != NULL &&
            begins_with_any(f->function, functions, sizeof functions / sizeof *functions));
}

/* What every thread begins with. */
static bool is_start(const struct waits_frame *f)
{
    static const char *const names[] = {"start_thread",
                                        "__clone3",
                                        "clone3",
                                        "clone",
                                        "_start",
                                        "__libc_start_call_main",
                                        "__libc_start_main",
                                        "__libc_start_main_impl",
                                        "start",
                                        "__clone"};

    for (size_t i = 0; f->function != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(f->function, names[i]) == 0)
            return true;
    return false;
}

const struct waits_stack *stacks_stack(const struct waits_frame *const *of, unsigned count)
{
    struct waits_stack like = {.frames = (const struct waits_frame **)of, .count = count}, *found;

    found = intern_find(&stacks, hash_of_stack(&like), &like, is_same_stack);
    if (found != NULL)
        return found;
    found = must(malloc(sizeof *found));
    *found = like;
    found->frames = must(malloc((count + 1) * sizeof *of));
    memcpy(found->frames, of, count * sizeof *of);
    while (found->first < count && is_of_locks(of[found->first]))
        found->first++;
    if (found->first == count)
        found->first = 0; /* nothing else: as it is */
    found->last = count;
    while (found->last > found->first + 1 && is_start(of[found->last - 1]))
        found->last--;
    found->id = intern_add(&stacks, found, hash_of_stack);
    return found;
}

const struct waits_stack *stacks_stack_at(unsigned id)
{
    return id < stacks.count ? stacks.all[id] : NULL;
}
