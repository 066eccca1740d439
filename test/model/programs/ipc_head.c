/* SPDX-License-Identifier: MIT */
/*
 * The programs for the head of a region.  Each thread is a process that has the memory.
 *
 *   join     looks; makes a region by a plan of its own where there is none, completes one that is
 *            begun, and looks again: as src/ipc/region/join.c does
 *   large    the same, by another plan
 *   look     only looks, once
 *
 * One plan wins, and one maker.  Whoever has joined finds the whole head, by that plan, and it
 * never changes again (HEAD1).  What is seen of a head that is being made is not there, begun or
 * made, never something else (HEAD2, HEAD5).
 */
#include <errno.h>
#include <stdio.h>

#include "ipc_calls.h"
#include "ipc_head_check.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(JOIN, LARGE, LOOK);

/* MAKERS: how many were told that they made it.  JOINED: the plan of who has joined, in bytes. */
enum shadow { MAKERS, JOINED };

static void setup(void)
{
    static const struct model_part parts[] = {HEAD_PART("magic", magic),
                                              HEAD_PART("format", format),
                                              HEAD_PART("plan", plan),
                                              HEAD_PART("size", size),
                                              HEAD_PART("entries", entries_at),
                                              HEAD_PART("participants", participants_at),
                                              HEAD_PART("objects", objects_at),
                                              HEAD_PART("namespace", pid_namespace),
                                              HEAD_PART("boot", boot),
                                              HEAD_PART("check", check),
                                              {NULL, 0, 0}};

    head_check_make(parts);
}

/* Behind the constants all stays zeroes here. */
static enum model_access access(const void *p)
{
    uintptr_t at = (uintptr_t)p - (uintptr_t)head;

    return at <= offsetof(struct fw_ipc_head_, check) ? ACCESS_STEP : ACCESS_DIRECT;
}

static int look(struct fw_ipc_plan_ *plan)
{
    return ipc_head_in_use()->check(head, FW_IPC_REGION_MAX_SIZE, plan);
}

static void joined(unsigned self, const struct fw_ipc_plan_ *plan)
{
    head_check_joined(self, shadow(JOINED), plan->size);
}

static void join(unsigned self, uint64_t size)
{
    struct fw_ipc_plan_ plan = {.size = 0};
    int found = look(&plan);
    int error;

    if (found == ENOENT) {
        ipc_head_in_use()->plan(size, 0, &plan);
        error = ipc_head_in_use()->make(head, &plan);
        if (error != 0 && error != EEXIST)
            model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
        if (error == 0 && ++*shadow(MAKERS) > 1)
            model_thread_fail("exclusion", "thread %llu makes what is made", self, 0);
    } else if (found == EINPROGRESS) {
        ipc_head_in_use()->complete(head);
    } else if (found != 0) {
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)found);
    }
    found = look(&plan);
    if (found != 0)
        model_thread_fail("half made", "thread %llu has joined, and finds %llu", self,
                          (uint64_t)found);
    joined(self, &plan);
}

static void act(unsigned self, unsigned w)
{
    struct fw_ipc_plan_ plan;
    int found;

    if (w != LOOK) {
        join(self, w == LARGE ? 2 * FW_IPC_REGION_MIN_SIZE : FW_IPC_REGION_MIN_SIZE);
        return;
    }
    found = look(&plan);
    if (found != 0 && found != ENOENT && found != EINPROGRESS)
        model_thread_fail("half made", "thread %llu finds %llu", self, (uint64_t)found);
    if (found == 0)
        joined(self, &plan);
}

static void finished(void)
{
    if (*shadow(JOINED) != 0 && head->size != *shadow(JOINED))
        model_fail("word", "a region of %llu bytes says that it has %llu", *shadow(JOINED),
                   head->size);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .access = access,
             .changed = head_check_changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .unmarked = true)

static const struct model_program programs[] = {
    PROGRAM("ipc-head", "join | join", KILLS(1), BOUND(1, 0)),
    PROGRAM("ipc-head-plans", "join | large", KILLS(1), BOUND(2, 0)),
    PROGRAM("ipc-head-look", "join | look look", KILLS(1), BOUND(2, 0), .immortal = 2),
};

GROUP(ipc_head, "ipc-head");
