/* SPDX-License-Identifier: MIT */
/*
 * Which lock a thread waits for, by recorded calls and words: those of glibc 2.36, musl 1.2.3 and
 * Rust 1.95 were read from waiting programs.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include "command/who/decode.h"
#include "support/unit.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

enum { AT = 0x10000, STACK_AT = 0x70000, STACK_WORDS = 64, WORDS = 32 };
enum { OWNER = 4711, WAITER = 4712, TASK = 7 };

#define ID(tid) ((uint32_t)(tid) << 8 | 1)
#define WAITING 0x80000000u /* FUTEX_WAITERS */
#define DIED 0x40000000u
#define TIMED (FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)
#define PLAIN (FUTEX_WAIT | FUTEX_PRIVATE_FLAG)
#define PI (FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG)

struct record {
    const char *call;
    unsigned op;
    uint32_t value;
    unsigned word; /* where the futex is: the index of a word */
    uint32_t words[WORDS];
    enum decode_kind kind;
    unsigned object; /* the index of the word that the object begins with */
    pid_t owner;
    unsigned readers;
    const char *action, *details;
    bool is_musl, has_drop_in, is_guess, is_dead, is_refused;
    unsigned task;
};

static const struct record records[] = {
    {"pthread_mutex_lock", PLAIN, 2, 0, {2, 0, OWNER, 1, 0}, DECODE_MUTEX, 0, OWNER, .details = ""},
    {"__pthread_mutex_lock",
     PLAIN,
     2,
     0,
     {2, 3, OWNER, 1, 1},
     DECODE_MUTEX,
     0,
     OWNER,
     .details = ", recursive"},
    {"mtx_lock", PLAIN, 2, 0, {2, 0, OWNER, 1, 512}, DECODE_MUTEX, 0, OWNER, .details = ""},
    {"pthread_mutex_timedlock",
     TIMED,
     2,
     0,
     {2, 0, OWNER, 1, 3},
     DECODE_MUTEX,
     0,
     OWNER,
     .details = ", adaptive"},
    {"pthread_mutex_lock",
     FUTEX_WAIT,
     OWNER | WAITING,
     0,
     {OWNER | WAITING, 0, OWNER, 1, 16},
     DECODE_MUTEX,
     0,
     OWNER,
     .details = ", robust"},
    {"pthread_mutex_lock",
     FUTEX_WAIT,
     OWNER | WAITING,
     0,
     {OWNER | WAITING | DIED, 0, 0, 1, 16},
     DECODE_MUTEX,
     0,
     OWNER,
     .is_dead = true},
    {"pthread_mutex_lock",
     PI,
     0,
     0,
     {OWNER | WAITING, 1, OWNER, 1, 32},
     DECODE_MUTEX,
     0,
     OWNER,
     .details = ", inherits"},
    {"pthread_mutex_lock",
     FUTEX_LOCK_PI,
     0,
     0,
     {OWNER | WAITING, 1, 0, 1, 32 + 16 + 128},
     DECODE_MUTEX,
     0,
     OWNER,
     .details = ", robust, inherits"},
    {"pthread_mutex_lock", TIMED, 0, 0, {0}, DECODE_MUTEX, .is_refused = true},
    {"pthread_mutex_lock", PLAIN, 2, 0, {2, 0, OWNER, 1, 77777}, DECODE_WORD, 0, .task = 0},
    {"pthread_rwlock_rdlock",
     TIMED,
     3,
     2,
     {10, 0, 3, 1, 0, 0, OWNER},
     DECODE_RWLOCK,
     0,
     OWNER,
     .action = "to read"},
    {"pthread_rwlock_wrlock",
     TIMED,
     3,
     3,
     {10, 1, 1, 3, 0, 0, OWNER},
     DECODE_RWLOCK,
     0,
     OWNER,
     .action = "to write"},
    {"pthread_rwlock_wrlock", TIMED, 3, 2, {24 + 2, 1, 3, 1}, DECODE_RWLOCK, 0, 0, 3, .task = 0},
    {"pthread_cond_wait", TIMED, 0, 10, {0}, DECODE_COND, 0, .action = "for a signal"},
    {"pthread_cond_wait", PLAIN, 2, 0, {2, 0, OWNER, 1, 0}, DECODE_MUTEX, 0, OWNER, .task = 0},
    {"__new_sem_wait_slow64.constprop.0",
     TIMED,
     0,
     0,
     {0, 1},
     DECODE_SEM,
     0,
     .action = "for a post"},
    {"sem_wait", TIMED, 0, 0, {0, 1}, DECODE_SEM, 0, .task = 0},
    {"pthread_barrier_wait", PLAIN, 1, 1, {1, 1, 3}, DECODE_BARRIER, 0, .task = 0},
    {"__pthread_clockjoin_ex",
     FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME,
     OWNER,
     0,
     {OWNER},
     DECODE_THREAD,
     0,
     OWNER,
     .task = 0},
    {"pthread_once", PLAIN, 1, 0, {1}, DECODE_ONCE, 0, .task = 0},
    {"pthread_mutex_timedlock",
     PLAIN,
     0x80000010,
     1,
     {0, 0x80000010},
     DECODE_MUTEX,
     0,
     0,
     .is_musl = true},
    {"pthread_mutex_timedlock",
     PLAIN,
     OWNER | WAITING,
     1,
     {2, OWNER | WAITING},
     DECODE_MUTEX,
     0,
     OWNER,
     .is_musl = true},
    {"pthread_mutex_timedlock",
     PLAIN,
     OWNER | WAITING,
     1,
     {2, OWNER | WAITING},
     DECODE_MUTEX,
     0,
     OWNER,
     .details = ""},
    {"sem_timedwait", PLAIN, UINT32_MAX, 0, {UINT32_MAX, 1}, DECODE_SEM, 0, .is_musl = true},
    /* without a call */
    {NULL, PLAIN, 2, 0, {2, 0, OWNER, 1, 0}, DECODE_MUTEX, 0, OWNER, .is_guess = true},
    {NULL, PLAIN, 2, 0, {2, 0, OWNER, 1, 77777}, DECODE_WORD, 0, .task = 0},
    {NULL, PLAIN, 1, 0, {1, 0, OWNER, 1, 0}, DECODE_WORD, 0, .task = 0},
    {NULL, PI, 0, 0, {OWNER | WAITING}, DECODE_WORD, 0, OWNER, .is_guess = true},
    {"puts", PLAIN, 2, 0, {2, 0, 0, 0, 77777}, DECODE_WORD, 0, .task = 0},
    /* furwock's: the owner's half first */
    {"fw_mutex_lock_slow_", PLAIN, 0x400, 1, {ID(OWNER), 0x400}, DECODE_MUTEX, 0, OWNER, .task = 0},
    {"fw_mutex_lock_slow_",
     PLAIN,
     0x400,
     1,
     {ID((1 << 22) + TASK), 0x400},
     DECODE_MUTEX,
     0,
     0,
     .task = TASK},
    {"fw_mutex_lock_slow_", PLAIN, 0x400, 1, {0x80000001, 0x400}, DECODE_MUTEX, 0, 0, .task = 0},
    {"pthread_mutex_lock",
     PLAIN,
     0x400,
     1,
     {ID(OWNER), 0x400, 0, 0, 0},
     DECODE_MUTEX,
     0,
     OWNER,
     .has_drop_in = true},
    {"fw_brlock_rdlock",
     PLAIN,
     ID(OWNER) | 2,
     0,
     {ID(OWNER) | 2},
     DECODE_BRLOCK,
     0,
     OWNER,
     .task = 0},
    {"fw_once_call_slow_",
     PLAIN,
     ID(OWNER) | 128,
     0,
     {ID(OWNER) | 128},
     DECODE_ONCE,
     0,
     OWNER,
     .task = 0},
    {"fw_permits_wait_", PLAIN, 0x100000, 1, {0, 0x100000}, DECODE_SEM, 0, .task = 0},
    {"std::sys::sync::mutex::futex::Mutex::lock_contended::h0123",
     FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
     2,
     0,
     {2},
     DECODE_MUTEX,
     0,
     .task = 0},
    {"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
     FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
     2,
     0,
     {2},
     DECODE_MUTEX,
     0,
     .action = "to lock"},
    {"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync6rwlock5futexNtB2_6RwLock14read_contended",
     FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
     2,
     0,
     {2},
     DECODE_RWLOCK,
     0,
     .action = "to lock"},
    {"std::sys::sync::condvar::futex::Condvar::wait::h0123",
     FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
     5,
     0,
     {5},
     DECODE_COND,
     0,
     .task = 0},
};

static uint64_t stack[STACK_WORDS];

/* The words, and the stack; nothing else is mapped. */
static bool read_record(const void *memory, uint64_t address, void *bytes, size_t size)
{
    const struct record *r = memory;

    if (address >= AT && address + size <= AT + sizeof r->words)
        memcpy(bytes, (const char *)r->words + (address - AT), size);
    else if (address >= STACK_AT && address + size <= STACK_AT + sizeof stack)
        memcpy(bytes, (const char *)stack + (address - STACK_AT), size);
    else
        return false;
    return true;
}

static void ask(const struct record *r, uint64_t word, struct decode_answer *a)
{
    struct decode_question q = {.read = read_record,
                                .memory = r,
                                .word = word,
                                .op = r->op,
                                .value = r->value,
                                .call = r->call,
                                .is_musl = r->is_musl,
                                .has_drop_in = r->has_drop_in,
                                .waiter = WAITER,
                                .stack = (const uint8_t *)stack,
                                .stack_size = sizeof stack,
                                .sp = STACK_AT};

    decode(&q, a);
}

TEST(recorded_waits)
{
    memset(stack, 0, sizeof stack);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        const struct record *r = &records[i];
        struct decode_answer a;
        ask(r, AT + r->word * sizeof *r->words, &a);
        if (a.kind != r->kind || a.owner != r->owner)
            print_message("record %zu: %s\n", i, r->call != NULL ? r->call : "-");
        assert_int_equal(a.kind, r->kind);
        assert_int_equal(a.owner, r->owner);
        assert_int_equal(a.readers, r->readers);
        assert_int_equal(a.task, r->task);
        assert_int_equal(a.is_guess, r->is_guess);
        assert_int_equal(a.is_dead, r->is_dead);
        assert_int_equal(a.is_refused, r->is_refused);
        if (!a.is_refused && r->kind != DECODE_COND)
            assert_int_equal(a.object, AT + r->object * sizeof *r->words);
        if (r->action != NULL)
            assert_string_equal(a.action, r->action);
        if (r->details != NULL)
            assert_string_equal(a.details, r->details);
    }
}

/* A thread in the queue of an fw_rwlock sleeps on a record on its stack, which names the lock. */
TEST(queued_for_an_rwlock)
{
    enum { LOCK = 28 /* its word */ };
    static struct record r = {.call = "fw_rw_wait_", .op = PLAIN, .value = RW_ASLEEP};
    struct rw_waiter w = {.state = RW_ASLEEP, .id = ID(WAITER), .want = RW_WRITE};
    struct decode_answer a;

    _Static_assert(sizeof w <= LOCK * sizeof *r.words, "before the lock");
    memset(stack, 0, sizeof stack);
    w.node.object = (const void *)(uintptr_t)(AT + LOCK * sizeof *r.words);
    memcpy(r.words, &w, sizeof w);
    r.words[LOCK] = (uint32_t)RW_WRITER;
    r.words[LOCK + 1] = ID(OWNER);
    ask(&r, AT + offsetof(struct rw_waiter, state), &a);
    assert_int_equal(a.kind, DECODE_RWLOCK);
    assert_int_equal(a.object, AT + LOCK * sizeof *r.words);
    assert_int_equal(a.owner, OWNER);
    assert_string_equal(a.action, "to write");
}

/* The mutex of a condition variable is named beside it on the stack, for a cancelled wait. */
TEST(mutex_of_a_condition)
{
    static const struct record cond = {.call = "pthread_cond_wait", .op = TIMED};
    struct decode_answer a;

    memset(stack, 0, sizeof stack);
    stack[5] = AT;
    stack[6] = AT + 64;
    ask(&cond, AT + 40, &a);
    assert_int_equal(a.kind, DECODE_COND);
    assert_int_equal(a.object, AT);
    assert_int_equal(a.mutex, AT + 64);
}

/* What lies on the waiter's own stack is in somebody's queue, and is no mutex. */
TEST(no_lock_on_the_own_stack)
{
    static const struct record plain = {.op = PLAIN, .value = 2};
    static const uint32_t words[] = {2, 0, OWNER, 1, 0, 0};
    struct decode_answer a;

    memset(stack, 0, sizeof stack);
    memcpy(&stack[8], words, sizeof words);
    ask(&plain, STACK_AT + 64, &a);
    assert_int_equal(a.kind, DECODE_WORD);
    assert_int_equal(a.owner, 0);
}

/* Whatever the words are, and whether they can be read: an answer, and no crash. */
TEST(any_words)
{
    enum { ROUNDS = 20000 };
    struct record r = {0};
    struct decode_answer a;

    srand(1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct record *like = &records[(size_t)rand() % (sizeof records / sizeof *records)];
        for (unsigned k = 0; k < WORDS; k++)
            r.words[k] = rand() % 2 == 0 ? (uint32_t)rand() : like->words[k];
        for (unsigned k = 0; k < STACK_WORDS; k++)
            stack[k] = rand() % 2 == 0 ? AT + (uint64_t)rand() % 256 : (uint64_t)rand();
        r.call = like->call;
        r.op = like->op;
        r.value = rand() % 2 == 0 ? like->value : (uint32_t)rand();
        r.is_musl = rand() % 2 == 0;
        r.has_drop_in = rand() % 2 == 0;
        ask(&r, AT - 64 + (uint64_t)rand() % 256, &a);
        assert_in_range(a.kind, 0, DECODE_KINDS - 1);
        assert_non_null(a.action);
    }
}

UNIT_MAIN(NULL, NULL)
