/* SPDX-License-Identifier: MIT */
/* Contract: kind.h.  The decoder of command/who knows objects; here are runtimes, too. */
#include "kind.h"

#include <stdio.h>
#include <string.h>

#include "command/who/decode.h"
#include "intern.h"

/* --- Memory: what was copied when the wait began, else as it is now --------------------------- */

struct memory {
    const struct target *target; /* NULL: cannot be read */
    const struct fw_waits_stack_event *copy;
    uint64_t address; /* of the futex */
};

static bool read_memory(const void *context, uint64_t address, void *bytes, size_t size)
{
    const struct memory *m = context;

    if (m->copy != NULL && m->copy->object_from < FW_WAITS_OBJECT) {
        uint64_t begin = m->address - FW_WAITS_OBJECT / 2;
        if (address >= begin + m->copy->object_from && address + size <= begin + FW_WAITS_OBJECT) {
            memcpy(bytes, m->copy->object + (address - begin), size);
            return true;
        }
    }
    return m->target != NULL && target_read(m->target, address, bytes, size);
}

/* --- Runtimes --------------------------------------------------------------------------------- */

/* By a function on the stack. */
static const struct {
    const char *part;
    const char *text;
    enum waits_class class;
    bool is_parker;
} runtimes[] = {
    {"take_gil", "Python GIL", WAITS_LOCK, false},
    {"PyThread_acquire_lock", "Python lock", WAITS_LOCK, false},
    {"_PyMutex_Lock", "Python lock", WAITS_LOCK, true},
    {"_PyParkingLot", "Python parking", WAITS_LOCK, true},
    {"ObjectMonitor::enter", "Java monitor", WAITS_LOCK, true},
    {"ObjectMonitor::Enter", "Java monitor", WAITS_LOCK, true},
    {"ObjectMonitor::wait", "Java wait", WAITS_OTHER, true},
    {"Unsafe_Park", "Java park", WAITS_OTHER, true},
    {"runtime.semasleep", "Go scheduler", WAITS_OTHER, true},
    {"runtime.notesleep", "Go scheduler", WAITS_OTHER, true},
    {"runtime.notetsleep", "Go scheduler", WAITS_OTHER, true},
    {"runtime.futexsleep", "Go scheduler", WAITS_OTHER, true},
    {"parking_lot::condvar", "parking_lot condition", WAITS_OTHER, true},
    {"parking_lot::raw_rwlock", "parking_lot rwlock", WAITS_LOCK, true},
    {"parking_lot", "parking_lot mutex", WAITS_LOCK, true},
    {"std::thread::park", "Rust park", WAITS_OTHER, true},
    {"nsync_mu_", "nsync mutex", WAITS_LOCK, true},
    {"nsync_cv_", "nsync condition", WAITS_OTHER, true},
    {"nsync_", "nsync", WAITS_OTHER, true},
};

static bool find_runtime(struct kind *k, const struct waits_stack *stack)
{
    for (size_t r = 0; r < sizeof runtimes / sizeof *runtimes; r++)
        for (unsigned i = 0; i < stack->count; i++) {
            const struct waits_frame *f = stack->frames[i];
            if ((f->function == NULL || strstr(f->function, runtimes[r].part) == NULL) &&
                (f->called == NULL || strstr(f->called, runtimes[r].part) == NULL))
                continue;
            k->text = runtimes[r].text;
            k->class = runtimes[r].class;
            k->is_parker = runtimes[r].is_parker;
            return true;
        }
    return false;
}

/* A runtime whose functions have no names here: all its waits are taken for its own. */
static bool assume_runtime(struct kind *k, const struct target *t)
{
    if (t == NULL || t->runtime == NULL)
        return false;
    if (strcmp(t->runtime, "Go") == 0)
        k->text = "Go scheduler";
    else
        k->text = "Java";
    k->class = WAITS_OTHER;
    k->is_parker = true;
    return true;
}

/*
 * parking_lot: a thread sleeps on a word of its own, and beside that word is the address of what it
 * waits for: a byte, or a word, whose second bit says that somebody is parked.
 */
static uint64_t parked_on(const struct memory *m)
{
    enum { HALF = FW_WAITS_OBJECT / 2, PARKED = 2, SMALLEST = 0x1000 };
    uint64_t begin = (m->address & ~UINT64_C(7)) - HALF, at, key;
    uint8_t state;

    for (at = begin; at < begin + FW_WAITS_OBJECT; at += sizeof key)
        if (read_memory(m, at, &key, sizeof key) && key >= SMALLEST &&
            key - begin >= FW_WAITS_OBJECT && read_memory(m, key, &state, 1) &&
            (state & PARKED) != 0 && (state & ~(1 | PARKED | 4 | 8)) == 0)
            return key;
    return 0;
}

static bool has_key(const struct kind *k)
{
    return strncmp(k->text, "parking_lot", strlen("parking_lot")) == 0;
}

/* --- Contract --------------------------------------------------------------------------------- */

static enum waits_class class_of(enum decode_kind kind)
{
    switch (kind) {
    case DECODE_MUTEX:
    case DECODE_RWLOCK:
    case DECODE_BRLOCK:
    case DECODE_ONCE:
    case DECODE_STREAM:
    case DECODE_REGION:
    case DECODE_WORD:
        return WAITS_LOCK;
    default:
        return WAITS_OTHER;
    }
}

static const char *text_of(const struct decode_answer *a)
{
    static char text[64];

    if (a->kind == DECODE_WORD)
        return "futex";
    if (a->maker == DECODE_RUST)
        snprintf(text, sizeof text, "Rust %s", decode_kinds[a->kind]);
    else if (a->maker == DECODE_FURWOCK)
        snprintf(text, sizeof text, "fw %s", decode_kinds[a->kind]);
    else
        return decode_kinds[a->kind];
    return intern_text(text);
}

/* The innermost call of a lock, and the next one. */
static void find_call(struct kind *k, const struct waits_stack *stack)
{
    for (unsigned i = 0; i < stack->count; i++) {
        const struct waits_frame *f = stack->frames[i];
        const char *names[] = {i > 0 ? f->called : NULL, f->function};

        for (unsigned n = 0; n < 2 && k->caller == NULL; n++)
            if (names[n] != NULL && decode_is_call(names[n])) {
                if (k->call == NULL)
                    k->call = names[n];
                else if (strcmp(k->call, names[n]) != 0)
                    k->caller = names[n];
            }
    }
}

static void ask(const struct kind *k, const struct memory *m, struct decode_answer *a)
{
    struct decode_question q = {
        .read = read_memory,
        .memory = m,
        .word = m->address,
        .op = k->op,
        .value = k->value,
        .call = k->call,
        .caller = k->caller,
        .is_musl = m->target != NULL && m->target->libc == TARGET_MUSL,
        .has_drop_in = m->target != NULL && m->target->has_drop_in,
    };

    if (m->copy != NULL) {
        q.waiter = (pid_t)m->copy->tid;
        q.stack = m->copy->stack;
        q.stack_size = m->copy->stack_size;
    }
    decode(&q, a);
}

void kind_find(struct kind *k, const struct stacks_process *p, const struct waits_stack *stack,
               uint64_t address, const struct fw_waits_stack_event *e)
{
    struct memory m = {stacks_target(p), e, address};
    struct decode_answer a;

    k->object = address;
    k->call = k->caller = NULL;
    k->is_parker = false;
    if (find_runtime(k, stack)) {
        if (k->is_parker)
            k->object = has_key(k) ? parked_on(&m) : 0;
        return;
    }
    find_call(k, stack);
    ask(k, &m, &a);
    if (a.kind == DECODE_WORD && k->call == NULL && assume_runtime(k, m.target)) {
        k->object = 0;
        return;
    }
    k->text = text_of(&a);
    k->class = class_of(a.kind);
    k->object = a.object;
}

uint64_t kind_parked_on(const struct kind *k, const struct stacks_process *p, uint64_t address)
{
    struct memory m = {stacks_target(p), NULL, address};

    return k->is_parker && has_key(k) ? parked_on(&m) : 0;
}

/* The interpreter's lock is a flag, with a mutex and a condition that stand in its state. */
void kind_by_name(struct kind *k, const char *name)
{
    if (strncmp(name, "_PyRuntime", 10) != 0)
        return;
    k->text = "Python GIL";
    k->class = WAITS_LOCK;
    k->is_parker = false;
}

const char *kind_hint(const char *text)
{
    if (strcmp(text, "Go scheduler") == 0)
        return "goroutines wait without their threads: Go's own mutex profile has their locks";
    if (strcmp(text, "Java monitor") == 0 || strcmp(text, "Java park") == 0)
        return "jcmd PID Thread.print -l names the object and its holder";
    return NULL;
}

bool kind_owner(const struct kind *k, const struct stacks_process *p, uint64_t address,
                pid_t *owner)
{
    struct memory m = {stacks_target(p), NULL, address};
    struct decode_answer a;

    *owner = 0;
    if (m.target == NULL || k->is_parker || k->class != WAITS_LOCK)
        return false;
    ask(k, &m, &a);
    *owner = a.owner;
    return a.names_owner;
}
