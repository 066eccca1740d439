/* SPDX-License-Identifier: MIT */
/*
 * The programs for making and joining a region: in a file, whose length is a part of the state
 * (subject/region_file.h), or in memory that is mapped.  Each thread is a process.
 *
 *   open         makes or joins the region in the file
 *   open-large   the same, and wants one of twice the size
 *   open-only    the same as open, EXCLUSIVE
 *   find         only joins it
 *   adopt, adopt-large, adopt-only, adopt-find   the same in memory, which is as long as they want
 *
 * Whoever has joined finds a whole head, and one that fits in the file or the memory; all find the
 * same one.  A head is begun by who was asked to make one.  Of those that want to be the only maker
 * one is told so, or none where somebody died.  A file is never accessed beyond its end (JOIN1),
 * where a process would be ended by SIGBUS.  What a call returns was true at some moment during it.
 *
 * The head's own words: ipc_head.c.  Here stores to most of them are seen at once.
 */
#include <errno.h>

#include <furwock/ipc/region.h>

#include "../memory.h"
#include "../subject/region_file.h"
#include "ipc_calls.h"
#include "ipc_head_check.h"
#include "ipc_region.h"
#include "programs.h"
#include "script.h"

#define CREATE FW_REGION_CREATE
#define ONLY (FW_REGION_CREATE | FW_REGION_EXCLUSIVE)

enum { SMALL = FW_REGION_MIN_SIZE, LARGE = 2 * FW_REGION_MIN_SIZE };

SCRIPT_WORDS(OPEN, OPEN_LARGE, OPEN_ONLY, FIND, ADOPT, ADOPT_LARGE, ADOPT_ONLY, ADOPT_FIND);

/* A word: `size` is what is asked for, in bytes. */
static const struct request {
    unsigned size, flags;
    bool is_memory;
} requests[WORDS] = {[OPEN] = {SMALL, CREATE, false},    [OPEN_LARGE] = {LARGE, CREATE, false},
                     [OPEN_ONLY] = {SMALL, ONLY, false}, [FIND] = {0, 0, false},
                     [ADOPT] = {SMALL, CREATE, true},    [ADOPT_LARGE] = {LARGE, CREATE, true},
                     [ADOPT_ONLY] = {SMALL, ONLY, true}, [ADOPT_FIND] = {SMALL, 0, true}};

/* LENGTH: of the file.  JOINED: the size of the region.  SOLE: how many were told to be the only
 * makers.  ASKS: the word of each thread's call under way. */
enum shadow { LENGTH, JOINED, SOLE, ASKS };

static void setup(void)
{
    static const struct model_part parts[] = {HEAD_PART("magic", magic),
                                              HEAD_PART("plan", plan),
                                              HEAD_PART("size", size),
                                              HEAD_PART("check", check),
                                              {NULL, 0, 0}};

    head_check_make(parts);
    subject_file = (struct subject_file){shadow(LENGTH), head};
}

/* --- What the threads do -------------------------------------------------------------------- */

static uint64_t seen(unsigned self, const uint64_t *word)
{
    return memory_read(self, (uint64_t)(uintptr_t)word, sizeof *word);
}

static void check_joined(unsigned self, const struct request *r, bool was_begun,
                         const struct fw_ipc_joined_ *j)
{
    uint64_t available = r->is_memory ? r->size : *shadow(LENGTH);

    if (seen(self, &head->magic) != FW_IPC_MAGIC || seen(self, &head->check) == 0)
        model_thread_fail("half made", "thread %llu has joined, and finds 0x%llx", self,
                          seen(self, &head->magic));
    if (j->base != head || j->plan.size != seen(self, &head->size) || j->plan.boot == 0)
        model_thread_fail("answer", "thread %llu has joined a region of %llu bytes", self,
                          j->plan.size);
    if (j->plan.size > available || (!r->is_memory && j->plan.size < r->size))
        model_thread_fail("answer", "a region of %llu bytes, and there are %llu", j->plan.size,
                          available);
    head_check_joined(self, shadow(JOINED), j->plan.size);
    if ((r->flags & FW_REGION_EXCLUSIVE) != 0 && (was_begun || ++*shadow(SOLE) > 1))
        model_thread_fail("answer", "thread %llu is told that it has made the region", self, 0);
}

static bool is_right(const struct request *r, bool was_begun, int error)
{
    bool makes = (r->flags & CREATE) != 0;
    bool is_exclusive = (r->flags & FW_REGION_EXCLUSIVE) != 0;
    uint64_t size = *shadow(JOINED); /* 0: nobody has come so far */

    switch (error) {
    case ENOENT:
        return !makes && !was_begun;
    case EEXIST:
        return is_exclusive && head->plan != 0;
    case EPROTO:
        return !r->is_memory && r->size == LARGE && (size == 0 || size == SMALL);
    case EUCLEAN:
        return r->is_memory && r->size == SMALL && head->plan != 0 && (size == 0 || size == LARGE);
    default:
        return false;
    }
}

static void act(unsigned self, unsigned word)
{
    const struct request *r = &requests[word];
    struct fw_ipc_joined_ joined = {NULL, {.size = 0}};
    bool was_begun = head->plan != 0;
    int error;

    *shadow(ASKS + self) = word;
    error = r->is_memory ? ipc_join_in_use()->memory(head, r->size, r->flags, &joined)
                         : ipc_join_in_use()->file(3, r->size, r->flags, &joined);
    *shadow(ASKS + self) = 0;
    if (error == 0)
        check_joined(self, r, was_begun, &joined);
    else if (!is_right(r, was_begun, error))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

/* --- Checks --------------------------------------------------------------------------------- */

/* Steps are what is decided by one word, or told by it.  Behind the constants all stays zeroes. */
static enum model_access access(const void *p)
{
    uint64_t at = (uint64_t)((uintptr_t)p - (uintptr_t)head);

    if (at >= MODEL_MEMORY)
        return ACCESS_DIRECT; /* a copy of the head */
    if (!requests[*shadow(ASKS + model_current)].is_memory && at >= *shadow(LENGTH))
        model_fail("beyond the end", "byte %llu of a file that has %llu", at, *shadow(LENGTH));
    return at == offsetof(struct fw_ipc_head_, magic) ||
                   at == offsetof(struct fw_ipc_head_, plan) ||
                   at == offsetof(struct fw_ipc_head_, size) ||
                   at == offsetof(struct fw_ipc_head_, check)
               ? ACCESS_STEP
               : ACCESS_DIRECT;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    const struct request *r = &requests[*shadow(ASKS + thread)];

    head_check_changed(thread, addr, before);
    if (addr == (uint64_t)(uintptr_t)&head->plan && before == 0 && (r->flags & CREATE) == 0)
        model_fail("answer", "thread %llu makes a region, and was not asked for one", thread, 0);
}

/* Of those that make it at once one is told so; where one was killed over it, perhaps none. */
static void finished(void)
{
    bool all_exclusive = true;

    for (unsigned i = 0; i < model_thread_count; i++)
        for (const unsigned *w = script_words[i]; *w != 0; w++)
            all_exclusive &= (requests[*w].flags & FW_REGION_EXCLUSIVE) != 0;
    if (all_exclusive && !region_has_deaths() && *shadow(SOLE) != 1)
        model_fail("answer", "%llu are told that they have made the region", *shadow(SOLE), 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .access = access,
             .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .unmarked = true, KILLS(1))

static const struct model_program programs[] = {
    PROGRAM("ipc-open", "open | open"),
    PROGRAM("ipc-open-sizes", "open | open-large"),
    PROGRAM("ipc-open-only", "open-only | open-only"),
    PROGRAM("ipc-open-find", "open | find find"),
    PROGRAM("ipc-open-three", "open | open-large | find", BOUND(1, 2)),
    PROGRAM("ipc-adopt", "adopt | adopt"),
    PROGRAM("ipc-adopt-sizes", "adopt | adopt-large"),
    PROGRAM("ipc-adopt-only", "adopt-only | adopt-only"),
    PROGRAM("ipc-adopt-find", "adopt | adopt-find adopt-find"),
};

GROUP(ipc_join, "ipc-join");
