/* SPDX-License-Identifier: MIT */
/*
 * The programs for the directory of a region.  Each thread is a process that has the region, and is
 * a participant.  A word is a call, for the object "a", "b" or "c" (data of 64 bytes, "b" of 40,
 * where the word does not say otherwise); who gets an object uses it, once.
 *
 *   make-a    finds it, or makes it with an init
 *   plain-a   the same, without an init
 *   only-a    the same as make-a, EXCLUSIVE
 *   find-a    only finds it
 *   other-a   finds or makes an object of another kind
 *   large-a   finds or makes one of twice the size
 *   fails-a   the same as make-a; the init fails
 *   fails-large-b ...
 *   nests-a   the same as make-a; the init tries to make another object
 *
 * What must hold: ipc_directory_check.h.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../memory.h"
#include "ipc_calls.h"
#include "ipc_directory_check.h"
#include "ipc_region.h"
#include "programs.h"
#include "script.h"

#define CREATE FW_REGION_CREATE
#define ONLY (FW_REGION_CREATE | FW_REGION_EXCLUSIVE)
#define DATA FW_REGION_DATA

enum { ODD = 40, SMALL = 64, LARGE = 128 }; /* sizes in bytes */

SCRIPT_WORDS(MAKE_A, MAKE_B, MAKE_C, PLAIN_A, ONLY_A, FIND_A, OTHER_A, LARGE_A, FAILS_A,
             FAILS_LARGE_B, NESTS_A);

static const struct directory_request requests[WORDS] = {
    [MAKE_A] = {"a", DATA, SMALL, CREATE, INIT_STAMPS},
    [MAKE_B] = {"b", DATA, ODD, CREATE, INIT_STAMPS},
    [MAKE_C] = {"c", DATA, SMALL, CREATE, INIT_STAMPS},
    [PLAIN_A] = {"a", DATA, SMALL, CREATE, INIT_NONE},
    [ONLY_A] = {"a", DATA, SMALL, ONLY, INIT_STAMPS},
    [FIND_A] = {"a", DATA, SMALL, 0, INIT_NONE},
    [OTHER_A] = {"a", FW_REGION_MUTEX, SMALL, CREATE, INIT_NONE},
    [LARGE_A] = {"a", DATA, LARGE, CREATE, INIT_STAMPS},
    [FAILS_A] = {"a", DATA, SMALL, CREATE, INIT_FAILS},
    [FAILS_LARGE_B] = {"b", DATA, LARGE, CREATE, INIT_FAILS},
    [NESTS_A] = {"a", DATA, SMALL, CREATE, INIT_NESTS},
};

struct directory_script {
    unsigned entries, bytes;
};

static void setup(void)
{
    const struct directory_script *script = model_program->arg;

    directory_check_make(script->entries, script->bytes);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void make_another(unsigned self)
{
    void *object;
    int error = ipc_directory_in_use()->object(&directory_region, "c", DATA, SMALL, CREATE, NULL,
                                               NULL, &object);

    if (error != EDEADLK)
        model_thread_fail("answer", "thread %llu makes an object in an init, and is answered %llu",
                          self, (uint64_t)error);
}

static int init(void *object, void *arg)
{
    const struct directory_request *r = arg;
    uint64_t *words = object;

    report_remark(model_current, "is asked to make it ready");
    directory_check_is_blank(model_current, object, r->size);
    fw_store64_relaxed(&words[r->size / sizeof *words - 1], (uint64_t)r->name[0]);
    if (r->init == INIT_NESTS)
        make_another(model_current);
    fw_store64_relaxed(&words[0], (uint64_t)r->name[0]);
    return r->init == INIT_FAILS ? ECANCELED : 0;
}

static void use(unsigned self, const struct directory_request *r, void *object)
{
    report_remark(self, "has the object");
    directory_check_used(r, fw_add64_acq_rel(directory_check_uses(object), 1));
}

static void thread(unsigned self)
{
    region_begin(self);
    for (const unsigned *w = script_words[self]; *w != 0; w++) {
        const struct directory_request *r = &requests[*w];
        void *object = NULL;
        int error;

        directory_check_begins(self, r);
        error = ipc_directory_in_use()->object(&directory_region, r->name, r->kind, r->size,
                                               r->flags, r->init == INIT_NONE ? NULL : init,
                                               (void *)(uintptr_t)r, &object);
        directory_check_returns(self, r, error, object);
        if (error == 0)
            use(self, r, object);
    }
}

/* --- The programs --------------------------------------------------------------------------- */

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_DIRECTORY), .setup = setup,
             .thread = thread, .access = directory_check_access, .changed = directory_check_changed,
             .finished = directory_check_finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
#define ROOM(entry_count, size) \
    WITH_OPTIONS(directory_script, .entries = (entry_count), .bytes = (size))

static const struct model_program programs[] = {
    PROGRAM("ipc-dir", "make-a | make-a", KILLS(1), ROOM(2, 2 * SMALL)),
    PROGRAM("ipc-dir-names", "make-a make-b | make-b make-a", KILLS(1), ROOM(2, 2 * SMALL)),
    PROGRAM("ipc-dir-find", "make-a | find-a find-a", KILLS(1), ROOM(1, SMALL)),
    PROGRAM("ipc-dir-only", "only-a | only-a", KILLS(1), ROOM(1, SMALL)),
    PROGRAM("ipc-dir-kinds", "make-a | other-a", KILLS(1), ROOM(2, 2 * SMALL)),
    PROGRAM("ipc-dir-sizes", "make-a | large-a", KILLS(1), ROOM(2, 2 * LARGE)),
    PROGRAM("ipc-dir-full", "make-a | make-b make-a", KILLS(1), ROOM(1, 2 * SMALL),
            ABOUT("one entry for two objects")),
    PROGRAM("ipc-dir-space", "large-a | make-b make-c", KILLS(1), ROOM(2, LARGE),
            ABOUT("space for one of two objects")),
    PROGRAM("ipc-dir-fails", "fails-a plain-a | make-a", KILLS(1), ROOM(2, 2 * SMALL),
            ABOUT("an init fails beside a maker")),
    PROGRAM("ipc-dir-dirty", "fails-large-b | make-a plain-a make-c", KILLS(1), ROOM(3, LARGE),
            ABOUT("a large one fails, small ones are made")),
    PROGRAM("ipc-dir-nests", "nests-a | make-a", KILLS(1), ROOM(2, 2 * SMALL),
            ABOUT("an init that makes an object")),
    PROGRAM("ipc-dir-three-objects", "make-a make-b make-c | make-c", KILLS(1), ROOM(3, 3 * SMALL),
            ABOUT("one makes three objects; it may die")),
    PROGRAM("ipc-dir-three", "make-a | make-a | make-a", KILLS(2), ROOM(2, 2 * SMALL)),
    PROGRAM("ipc-dir-three-names", "make-a | make-b | make-a", KILLS(1), ROOM(2, 2 * SMALL)),
};

GROUP(ipc_directory, "ipc-directory");
