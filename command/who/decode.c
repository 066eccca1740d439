/* SPDX-License-Identifier: MIT */
/* Contract: decode.h.  Names of calls, and which part of the decoder knows them. */
#include "decode.h"

#include <string.h>

const char *const decode_kinds[DECODE_KINDS] = {
    [DECODE_WORD] = "futex word",     [DECODE_MUTEX] = "mutex",    [DECODE_RWLOCK] = "rwlock",
    [DECODE_BRLOCK] = "brlock",       [DECODE_COND] = "condition", [DECODE_SEM] = "semaphore",
    [DECODE_BARRIER] = "barrier",     [DECODE_EVENT] = "event",    [DECODE_LATCH] = "latch",
    [DECODE_ONCE] = "once",           [DECODE_THREAD] = "thread",  [DECODE_STREAM] = "libc lock",
    [DECODE_REGION] = "region object"};

struct name {
    const char *text;
    enum decode_family family;
    bool is_whole; /* else a name begins so */
};

/* The longer ones first, where one begins with another. */
static const struct name names[] = {
    {"pthread_mutex_", FAMILY_MUTEX, false},
    {"mtx_lock", FAMILY_MUTEX, true},
    {"mtx_timedlock", FAMILY_MUTEX, true},
    {"pthread_rwlock_rdlock", FAMILY_READ, true},
    {"pthread_rwlock_timedrdlock", FAMILY_READ, true},
    {"pthread_rwlock_clockrdlock", FAMILY_READ, true},
    {"pthread_rwlock_wrlock", FAMILY_WRITE, true},
    {"pthread_rwlock_timedwrlock", FAMILY_WRITE, true},
    {"pthread_rwlock_clockwrlock", FAMILY_WRITE, true},
    {"pthread_cond_wait", FAMILY_COND, true},
    {"pthread_cond_timedwait", FAMILY_COND, true},
    {"pthread_cond_clockwait", FAMILY_COND, true},
    {"cnd_wait", FAMILY_COND, true},
    {"cnd_timedwait", FAMILY_COND, true},
    {"sem_wait", FAMILY_SEM, false},
    {"sem_timedwait", FAMILY_SEM, true},
    {"sem_clockwait", FAMILY_SEM, true},
    {"pthread_barrier_wait", FAMILY_BARRIER, true},
    {"pthread_join", FAMILY_JOIN, true},
    {"pthread_timedjoin_np", FAMILY_JOIN, true},
    {"pthread_clockjoin_np", FAMILY_JOIN, true},
    {"pthread_clockjoin_ex", FAMILY_JOIN, true},
    {"thrd_join", FAMILY_JOIN, true},
    {"pthread_once", FAMILY_ONCE, true},
    {"call_once", FAMILY_ONCE, true},
    {"flockfile", FAMILY_STREAM, true},
    {"fw_mutex_", FAMILY_FW_MUTEX, false},
    {"fw_rwlock_", FAMILY_FW_RWLOCK, false},
    {"fw_rw_wait_", FAMILY_FW_RWLOCK, true},
    {"fw_brlock_", FAMILY_FW_BRLOCK, false},
    {"fw_cond_", FAMILY_FW_COND, false},
    {"fw_permits_wait", FAMILY_FW_SEM, false},
    {"fw_sem_", FAMILY_FW_SEM, false},
    {"fw_event_", FAMILY_FW_EVENT, false},
    {"fw_latch_", FAMILY_FW_LATCH, false},
    {"fw_barrier_", FAMILY_FW_BARRIER, false},
    {"fw_once_", FAMILY_FW_ONCE, false},
    {"fw_once", FAMILY_FW_ONCE, true},
    {"fw_ipc_", FAMILY_FW_REGION, false},
    {"parking_lot::", FAMILY_PARKING_LOT, false},
};

/* What paths of Rust's standard library end with, before a hash that may follow. */
static const struct name rust_names[] = {
    {"futex::Mutex::lock_contended", FAMILY_RUST_MUTEX, false},
    {"futex::RwLock::read_contended", FAMILY_RUST_RWLOCK, false},
    {"futex::RwLock::write_contended", FAMILY_RUST_RWLOCK, false},
    {"futex::Condvar::wait", FAMILY_RUST_COND, false},
};

/* The same as symbols have it since Rust 1.90: two parts of a path, with their lengths. */
static const struct {
    const char *module, *function;
    enum decode_family family;
} rust_symbols[] = {
    {"5mutex5futex", "14lock_contended", FAMILY_RUST_MUTEX},
    {"6rwlock5futex", "14read_contended", FAMILY_RUST_RWLOCK},
    {"6rwlock5futex", "15write_contended", FAMILY_RUST_RWLOCK},
    {"7condvar5futex", "4wait", FAMILY_RUST_COND},
    {"7condvar5futex", "12wait_timeout", FAMILY_RUST_COND},
};

static enum decode_family family_of_rust(const char *name)
{
    for (size_t i = 0; i < sizeof rust_symbols / sizeof *rust_symbols; i++) {
        const char *module = strstr(name, rust_symbols[i].module);
        if (module != NULL && strstr(module, rust_symbols[i].function) != NULL)
            return rust_symbols[i].family;
    }
    return FAMILY_NONE;
}

enum decode_family decode_family_of(const char *name)
{
    if (name == NULL)
        return FAMILY_NONE;
    name += strspn(name, "_");
    if (strncmp(name, "new_", 4) == 0) /* as in __new_sem_wait */
        name += 4;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].is_whole ? strcmp(name, names[i].text) == 0
                              : strncmp(name, names[i].text, strlen(names[i].text)) == 0)
            return names[i].family;
    if (strncmp(name, "std::sys", 8) == 0)
        for (size_t i = 0; i < sizeof rust_names / sizeof *rust_names; i++)
            if (strstr(name, rust_names[i].text) != NULL)
                return rust_names[i].family;
    if (name[0] == 'R')
        return family_of_rust(name);
    return FAMILY_NONE;
}

bool decode_is_call(const char *name)
{
    return decode_family_of(name) != FAMILY_NONE;
}

static bool decode_rust(const struct decode_question *q, enum decode_family f,
                        struct decode_answer *a)
{
    static const struct {
        enum decode_family family;
        enum decode_kind kind;
        const char *action;
    } kinds[] = {
        {FAMILY_RUST_MUTEX, DECODE_MUTEX, "to lock"},
        {FAMILY_RUST_RWLOCK, DECODE_RWLOCK, "to lock"},
        {FAMILY_RUST_COND, DECODE_COND, "for a signal"},
        {FAMILY_PARKING_LOT, DECODE_WORD, "for a lock of parking_lot"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].family == f) {
            a->kind = kinds[i].kind;
            a->action = kinds[i].action;
            a->object = q->word;
            a->maker = f == FAMILY_PARKING_LOT ? DECODE_PARKING_LOT : DECODE_RUST;
            return true;
        }
    return false;
}

void decode(const struct decode_question *q, struct decode_answer *a)
{
    enum decode_family f = decode_family_of(q->call);

    *a = (struct decode_answer){.kind = DECODE_WORD, .action = "for a change", .object = q->word};
    if (!decode_furwock(q, f, a) && !decode_rust(q, f, a))
        decode_posix(q, f, a);
}
