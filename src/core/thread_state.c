/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <furwock/futex.h>
#include <sys_call_arch.h>

#include "core/thread_state.h"
#include "sys/clock.h"
#include "sys/panic.h"

#define GENERATIONS 16u

/* Elsewhere the first access in a thread may allocate, which an unlock must not do. */
#define STATIC_TLS __thread __attribute__((tls_model("initial-exec")))

STATIC_TLS uint32_t fw_self_id_;

/* Written in a forked child before it has a second thread; read by all. */
static uint32_t fork_generation;
static uint32_t inherited_id;

static uint32_t serial;

/* What the thread will wake, and when; no lock: nothing. */
static STATIC_TLS const void *later_lock;
static STATIC_TLS const uint32_t *later_word;

/* In the child: the thread keeps its identity, and nobody else may have it. */
static void after_fork_in_child(void)
{
    fork_generation = (fork_generation + 1) % GENERATIONS;
    inherited_id = fw_self_id_; /* 0: it has had none so far */
    later_lock = NULL;          /* the thread to wake does not exist here */
}

void fw_at_fork_(void (*in_child)(void))
{
    int error = pthread_atfork(NULL, NULL, in_child);
    if (error != 0)
        fw_panic_errno_("pthread_atfork", error);
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(after_fork_in_child);
}

static uint32_t id_of(uint32_t number)
{
    return number << FW_ID_SHIFT | FW_ID_HELD;
}

uint32_t fw_self_init_(void)
{
    long number = fw_system_call_(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t id = id_of((uint32_t)number);

    if (number <= 0 || number >= FW_ID_ALIAS) /* a system call filter can make it fail */
        fw_panic_errno_("gettid", (int)-number);
    if (id == inherited_id)
        id = id_of((uint32_t)number | FW_ID_ALIAS);
    fw_self_id_ = id;
    return id;
}

uint32_t fw_fork_generation_(void)
{
    return fork_generation;
}

bool fw_is_here_(uint32_t id, uint32_t generation)
{
    return generation == fork_generation || id == inherited_id;
}

uint32_t fw_serial_(void)
{
    return __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED) & 0x7fffffu;
}

/* Odd, so that all stamps differ; large, so that they look like no number that a program has. */
#define STAMP_FACTOR UINT32_C(0x9e3779b1)

uint32_t fw_stamp_(void)
{
    static uint32_t stamp;
    uint32_t next;

    do
        next = __atomic_add_fetch(&stamp, 1, __ATOMIC_RELAXED);
    while (next == 0);
    return next * STAMP_FACTOR;
}

bool fw_one_in_(uint32_t n)
{
    static STATIC_TLS uint32_t calls;
    return ++calls % n == 0;
}

/* Half a millisecond, as in the promise that nobody starves: doc/design/mutex.md, "Greedy". */
#define OVERDUE_NS 500000u

/* A thread that has not looked for so long knows nothing about what happened in between. */
#define FORGOTTEN_NS (2u * OVERDUE_NS)

/* One release in so many looks at the clock. */
#define RELEASES_PER_LOOK 4u

bool fw_is_overdue_(const void *lock, bool is_waking)
{
    static STATIC_TLS const void *seen; /* the lock, where a wake was under way */
    static STATIC_TLS uint64_t since, last;
    static STATIC_TLS uint32_t releases;
    uint64_t now;

    if (!is_waking) {
        seen = NULL;
        return false;
    }
    if (lock == seen && ++releases % RELEASES_PER_LOOK != 0)
        return false;
    now = fw_clock_ns_();
    if (lock != seen || now - last > FORGOTTEN_NS) {
        seen = lock;
        since = now;
    }
    last = now;
    if (now - since < OVERDUE_NS)
        return false;
    seen = NULL;
    return true;
}

/* Where polling has failed, it is tried again once in so many waits: doc/design/cond.md. */
#define WAITS_PER_TRIAL 128u

static STATIC_TLS bool polling_failed;

bool fw_polling_pays_(void)
{
    static STATIC_TLS uint32_t waits;

    return !polling_failed || ++waits % WAITS_PER_TRIAL == 0;
}

void fw_polling_ended_(bool was_woken)
{
    polling_failed = !was_woken;
}

bool fw_wake_later_(const void *lock, const uint32_t *word)
{
    if (later_lock != NULL)
        return false;
    later_word = word;
    __atomic_signal_fence(__ATOMIC_RELEASE); /* a handler may release other locks */
    later_lock = lock;
    return true;
}

void fw_wake_now_(const void *lock)
{
    if (later_lock != lock)
        return;
    later_lock = NULL;
    fw_futex_wake(later_word, 1, FW_FUTEX_PRIVATE);
}
