/* SPDX-License-Identifier: MIT */
#ifndef FW_FAKE_H
#define FW_FAKE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>

#include "sys/running.h"

/*
 * A kernel for unit tests.  It stands in for all of src/sys: sources are compiled with this folder
 * in front of the architecture's include folder and linked with the fake's
 * sources instead of those of src/sys.
 *
 * There is one thread.  The others are played by hooks: a hook runs at a moment when the code
 * under test is inside the kernel (asleep, in the fence, in a pause), may call the lock's own
 * functions as somebody else (fake_as), and decides how the code under test goes on.  Time stands
 * still except where the fake says so.
 */

/* What a hook of a wait answers, besides a negative errno that the wait shall return. */
enum {
    FAKE_COMPARE = 1, /* do as the kernel does: see fw_futex_wait_bitset in fake_futex.c */
    FAKE_SPURIOUS = 0 /* return 0 though nobody woke the sleeper */
};

enum fake_kind {
    FAKE_NOTHING,
    FAKE_WAIT,
    FAKE_WAKE,
    FAKE_REQUEUE,
    FAKE_CMP_REQUEUE,
    FAKE_WAIT_ANY,
    FAKE_FENCE,
    FAKE_PLAIN,
    FAKE_LOCK_PI,
    FAKE_UNLOCK_PI
};

/* One call that the code under test made, in order. */
struct fake_call {
    enum fake_kind kind;
    const uint32_t *word;
    const uint32_t *to;
    uint32_t expected;
    uint32_t seen; /* *word when the call was made */
    uint32_t bits;
    unsigned flags;
    unsigned n;
    unsigned n_move;
    bool has_deadline;
    fw_deadline deadline;
    int result;
};

/* The sleepers: nested waits, the outermost first. */
struct fake_sleeper {
    const uint32_t *word;
    uint32_t bits;
    bool woken;
    uint32_t id;
};

#define FAKE_CALLS 256
#define FAKE_SLEEPERS 8

/* All of the fake's state.  Tests read and set it freely; fake_reset() restores the defaults. */
struct fake {
    /* hooks; NULL: nothing happens */
    int (*on_wait)(struct fake_call *call); /* before the value is compared; NULL: FAKE_COMPARE */
    int (*on_wait_any)(const fw_futex_any *words, unsigned n); /* its answer; NULL: -ENOSYS */
    int (*on_sleep)(struct fake_call *call); /* after it: the caller sleeps; NULL: FAKE_COMPARE */
    void (*on_wake)(struct fake_call *call); /* before anybody is woken */
    void (*on_poll)(void);                   /* in each pause and yield */
    void (*on_fence)(void);                  /* in each fence, before it answers */
    void (*on_plain)(uint64_t *state);       /* before a plain release looks at the word */
    int (*on_lock_pi)(uint32_t *word);       /* its answer; NULL: -ENOSYS */
    int (*on_unlock_pi)(uint32_t *word);     /* its answer; NULL: -ENOSYS */

    /* what the kernel answers */
    int fence_result;
    bool plain_works; /* false: every plain release is refused */
    int wake_result;  /* < 0: what every wake returns */
    uint32_t next_id; /* what fw_self_init_ finds out */
    uint32_t fork_generation;
    uint32_t inherited_id; /* who called the last fork */
    uint32_t next_serial;
    uint32_t next_stamp;
    bool one_in;           /* what fw_one_in_ answers */
    uint32_t one_in_asked; /* and what it was asked last */
    bool overdue;          /* what fw_is_overdue_ answers where a wake is under way */
    int urgency;           /* what fw_urgency_ answers */
    int urgency_known;     /* what fw_urgency_known_ answers; < 0: the same */
    unsigned urgency_asked;

    bool polling_pays;  /* what fw_spinning_pays_ answers */
    bool polling_found; /* and what fw_spinning_ended_ was told last */

    /* who is on a CPU: one answer for all threads, or a hook's; pid_namespace 0: the caller's */
    enum fw_running_ running;
    enum fw_running_ (*on_running)(uint32_t tid, uint32_t pid_namespace); /* NULL: `running` */
    bool cpu_wanted;                                        /* what fw_cpu_is_wanted_ answers */
    uint32_t running_asked_tid, running_asked_namespace;    /* who was asked about last */
    unsigned running_asked, running_begins, running_sleeps; /* how often */

    /* the wake that is put off until a lock is released; the fake's threads share one */
    const void *later_lock;
    const uint32_t *later_word;

    /* cancellation: what would run if the sleeper were cancelled now */
    void (*on_cancel)(void *);
    void *cancel_arg;
    unsigned cancel_points;

    /* time */
    uint64_t now_ns; /* CLOCK_MONOTONIC */
    int64_t real_minus_monotonic_ns;
    int64_t set_real_by_ns; /* CLOCK_REALTIME is set by so much when the next sleep has begun */
    uint64_t clock_step_ns; /* how much later it is after each look at the clock */
    uint64_t pause_ns;      /* how long a pause takes */
    uint64_t yield_ns;

    /* what happened */
    struct fake_call calls[FAKE_CALLS];
    unsigned n_calls;
    unsigned waits, wakes, requeues, fences, plains, pauses, yields, clock_looks, self_inits;
    struct fake_sleeper sleepers[FAKE_SLEEPERS];
    unsigned n_sleepers;

    /* panics */
    bool panic_expected;
    jmp_buf panic_jump;
    const char *panic_what;
    const void *panic_lock;
    uint32_t panic_caller, panic_owner;
    int panic_error;
};

extern struct fake fake;

/* Everything as at the start: time is one hour, the caller is thread FAKE_SELF. */
void fake_reset(void);

/* From now on the calls come from the thread with kernel id `tid`.  Returns the one before. */
uint32_t fake_as(uint32_t tid);

/* The identity (sys/thread.h) of a thread. */
#define FAKE_ID(tid) (((uint32_t)(tid) << 8) | 1u)
#define FAKE_SELF 100u

/* The nth (from 0) call of a kind, or NULL. */
const struct fake_call *fake_nth(enum fake_kind kind, unsigned nth);

/* A deadline that lies ns after the fake's present; on CLOCK_MONOTONIC or CLOCK_REALTIME. */
fw_deadline fake_deadline(clockid_t clock, int64_t ns);

/* Notes a call; for the fake's own sources. */
struct fake_call *fake_note(enum fake_kind kind, const uint32_t *word);

/* Ends the test: the code under test did what no kernel lets it live on from. */
_Noreturn void fake_impossible(const char *why);

/* Runs the statement, which must panic; the record is in fake.panic_*. */
#define FAKE_EXPECT_PANIC(statement)                \
    do {                                            \
        fake.panic_expected = true;                 \
        if (setjmp(fake.panic_jump) == 0) {         \
            statement;                              \
            fake.panic_expected = false;            \
            fail_msg("no panic in %s", #statement); \
        }                                           \
        fake.panic_expected = false;                \
        fake.n_sleepers = 0;                        \
    } while (0)

#endif
