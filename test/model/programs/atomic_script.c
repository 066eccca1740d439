/* SPDX-License-Identifier: MIT */
#include "atomic_script.h"

#include <string.h>

#include <furwock/futex.h>

#include "atomic_check.h"
#include "contended.h"
#include "core/thread_state.h"
#include "ipc_atomic_calls.h"
#include "ipc_atomic_check.h"

SCRIPT_WORDS(LOCK, TRY, LOAD, STORE, SWAP, LOAD_Y, STORE_Y, CAS, STALE, COUNT, AWAIT, FLAG, LOOK,
             LOOK_BACK, FLAG_SC, FLAG_LOAD, AWAIT_OPEN, OPEN, CHILD, FREE);

/* No value of a program. */
#define NOBODYS 0xeeu

static const struct atomic_script *script;

void atomic_script_begin(const struct atomic_script *of)
{
    static const struct atomic_script nothing = {.between_processes = true};

    script = of != NULL ? of : &nothing;
}

static void setup(void)
{
    static const struct atomic_script none;
    const struct atomic_script *of = script_options(&none);

    atomic_check_setup(of);
    atomic_script_begin(of);
}

static const struct atomic_calls *calls(void)
{
    return script->between_processes ? &ipc_atomic_in_use()->objects : atomic_in_use();
}

/* --- What the sources ask ------------------------------------------------------------------- */

unsigned subject_lock_looks(void)
{
    return script->lock_looks;
}

unsigned subject_load_looks(void)
{
    return script->load_looks == 0 ? 1 : script->load_looks;
}

bool subject_is_single_threaded(void)
{
    return script->is_alone || *shadow(IS_CHILD) != 0;
}

bool subject_was_multithreaded(void)
{
    return !script->long_way && !subject_is_single_threaded();
}

/* Whether others are at work is a matter of chance here. */
bool fw_contention_(const uint64_t *place, uint64_t sequence)
{
    (void)place;
    (void)sequence;
    return fw_one_in_(1);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void section(unsigned self)
{
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside another", self, 0);
    *shadow(INSIDE) = 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(INSIDE) = 0;
    calls()->unlock(&atomic_x.stripe->lock);
}

static uint64_t load(unsigned self, const struct atomic_object *p, unsigned char *out)
{
    uint64_t since = *shadow(p->newest);

    calls()->load(p->object, out, atomic_size, __ATOMIC_SEQ_CST);
    return atomic_check_version(self, p, out, since);
}

static void store(unsigned self, const struct atomic_object *p, unsigned char value)
{
    uint64_t since = *shadow(p->newest);
    unsigned char bytes[MAX_SIZE];

    memset(bytes, value, sizeof bytes);
    calls()->store(p->object, bytes, atomic_size, __ATOMIC_SEQ_CST);
    if (script->between_processes)
        atomic_check_version(self, p, bytes, since + 1);
}

/* What was there has been replaced by the value, at once: nothing was in between. */
static void check_next(unsigned self, const unsigned char *old, unsigned char value, uint64_t since)
{
    uint64_t k = atomic_check_version(self, &atomic_x, old, since);

    if (k == *shadow(NEWEST_X) || *shadow(VERSIONS_X + k + 1) != value)
        model_thread_fail("lost", "%llu was replaced by %llu, and something came in between",
                          old[0], value);
}

static void swap(unsigned self, unsigned char *out, unsigned char value)
{
    uint64_t since = *shadow(NEWEST_X);

    memset(out, value, MAX_SIZE); /* out may be value */
    calls()->exchange(atomic_x.object, out, out, atomic_size, __ATOMIC_SEQ_CST);
    check_next(self, out, value, since);
}

/* Expects what is in `seen`, and leaves there what was found. */
static bool replace(unsigned self, unsigned char *seen, unsigned char value)
{
    uint64_t since = *shadow(NEWEST_X);
    unsigned char expected = seen[0];
    unsigned char bytes[MAX_SIZE];
    bool done;

    memset(bytes, value, sizeof bytes);
    done = calls()->compare_exchange(atomic_x.object, seen, bytes, atomic_size, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
    if (done) {
        check_next(self, seen, value, since);
    } else {
        atomic_check_version(self, &atomic_x, seen, since);
        if (seen[0] == expected)
            model_thread_fail("answer", "thread %llu finds what it expects, and fails", self, 0);
    }
    return done;
}

static void count(unsigned self, unsigned char *seen)
{
    load(self, &atomic_x, seen);
    while (!replace(self, seen, (unsigned char)(seen[0] + 1)))
        ;
}

static void look(unsigned self, unsigned char *seen, bool back)
{
    uint64_t before = back ? fw_load64_acquire(atomic_flag) : 0;
    uint64_t found = load(self, &atomic_x, seen);
    uint64_t after = back ? 0 : fw_load64_relaxed(atomic_flag);

    if ((found != 0 && !back && after == 0) || (found == 0 && back && before != 0))
        model_thread_fail("message", "thread %llu sees the later store, and not the earlier one",
                          self, 0);
}

static void await_open(void)
{
    while (fw_load32_acquire(atomic_opened) == 0)
        fw_futex_wait(atomic_opened, 0, FW_FUTEX_PRIVATE, NULL);
}

static void set_open(void)
{
    fw_xchg32_release(atomic_opened, 1);
    fw_futex_wake(atomic_opened, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

static void act_otherwise(unsigned self, enum word w, unsigned char *seen)
{
    switch (w) {
    case FLAG:
        fw_store64_release(atomic_flag, 1);
        break;
    case LOOK:
    case LOOK_BACK:
        look(self, seen, w == LOOK_BACK);
        break;
    case FLAG_SC:
        fw_store64_relaxed(atomic_flag, 1);
        fw_fence_seq_cst();
        break;
    case FLAG_LOAD:
        *shadow(SEEN + self) = fw_load64_acquire(atomic_flag) + 1;
        break;
    case AWAIT_OPEN:
        await_open();
        break;
    case OPEN:
        set_open();
        break;
    case CHILD:
        calls()->child();
        break;
    default: /* FREE: the spare bytes around it, too */
        model_op(OP_FREE, atomic_x.object, 1, 0, 0, 0, 0);
    }
}

/* The value is another one for each word of each thread. */
static void act(unsigned self, enum word w, unsigned char value, unsigned char *seen)
{
    unsigned char other[MAX_SIZE];

    switch (w) {
    case LOCK:
        calls()->lock(&atomic_x.stripe->lock);
        section(self);
        break;
    case TRY:
        if (calls()->trylock(&atomic_x.stripe->lock) == 0)
            section(self);
        break;
    case LOAD:
        load(self, &atomic_x, seen);
        break;
    case AWAIT:
        while (load(self, &atomic_x, seen) == 0)
            ;
        break;
    case LOAD_Y:
        *shadow(SEEN + self) = load(self, &atomic_y, other) + 1;
        break;
    case STORE:
    case STORE_Y:
        store(self, w == STORE ? &atomic_x : &atomic_y, value);
        break;
    case SWAP:
        swap(self, seen, value);
        break;
    case STALE:
        memset(seen, NOBODYS, MAX_SIZE);
        replace(self, seen, value);
        break;
    case CAS:
        replace(self, seen, value);
        break;
    case COUNT:
        count(self, seen);
        break;
    default:
        act_otherwise(self, w, seen);
    }
}

static void thread(unsigned self)
{
    unsigned char seen[MAX_SIZE] = {0};
    const unsigned *words = script_words[self];

    for (unsigned i = 0; words[i] != END; i++)
        act(self, (enum word)words[i], (unsigned char)(1 + self * 16 + i), seen);
}

/* Forks, and is the child from then on. */
static void handler(void)
{
    calls()->child();
    *shadow(IS_CHILD) = 1;
}

HOOKS(atomic_hooks, .words = word_names, .setup = setup, .thread = thread, .handler = handler,
      .changed = atomic_script_changed, .finished = atomic_script_finished);
HOOKS(ipc_atomic_hooks, .words = word_names, .setup = ipc_atomic_setup, .thread = thread,
      .changed = ipc_atomic_changed, .finished = ipc_atomic_finished, .own = script_own,
      .access = ipc_atomic_access);
