/* SPDX-License-Identifier: MIT */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The state of a model run, and what a model thread can ask of the engine.
 *
 * A model thread is a coroutine.  It runs ordinary C code until it wants to do something that other
 * threads can notice; then it describes that operation (model_op) and stops.  The engine picks one
 * stopped thread, performs its operation on the state, and lets the thread run to its next one.
 *
 * The complete state is the struct model_shared, the objects in model_memory, one struct
 * model_thread and one stack per thread.  A step of one thread may change the stack of another,
 * whose waiters are queued there.  All of it lies at fixed addresses, so a copy of these bytes
 * is the state: it can be stored, compared and restored.  Nothing else may influence a thread: no
 * mutable statics, no clock, no allocation. What is a thread's own in the sources (thread-local
 * variables) lies in a section of the program, and while the thread does not run, at the top of its
 * stack.
 */

#ifndef MODEL_MAX_THREADS /* cores/ has more */
#define MODEL_MAX_THREADS 6u
#endif
#define MODEL_MAX_POSTED 12u
#define MODEL_MAX_BUFFER 4u
#define MODEL_MAX_OBJECTS 12u
#define MODEL_MEMORY 65536u /* what no object has is no part of the state, and stays zeroes */
#define MODEL_SHADOW_WORDS 28u
#define MODEL_STACK 24576u

/*
 * Stack that is not in use holds these bytes: equal states have equal bytes, and a pointer that is
 * read from a frame that is gone leads nowhere.
 */
#define MODEL_DEAD 0xdb

/* What a stopped thread wants to do. */
enum model_kind {
    OP_NONE,
    OP_LOAD,
    OP_STORE,
    OP_XCHG,
    OP_CAS,
    OP_ADD, /* fetch and add, or, and: one locked instruction */
    OP_OR,
    OP_AND,
    OP_FENCE_LOCAL, /* a locked instruction on nothing: drains the own buffer */
    OP_WAIT,
    OP_WAIT_ANY, /* on several words: addr and size are the table of them */
    OP_POST,     /* waits that nobody sleeps in: posted.h */
    OP_UNPOST,
    OP_WAKE,
    OP_REQUEUE,
    OP_CMP_REQUEUE,
    OP_FENCE_ALL,  /* membarrier, one other thread at a time */
    OP_LOOK_OWNER, /* the three steps of the plain release */
    OP_LOOK_WAITERS,
    OP_COMMIT,
    OP_CLOCK,
    OP_CHANCE,    /* fw_one_in_: yes or no */
    OP_CANCEL,    /* may be cancelled here: yes or no */
    OP_RUNNING,   /* does thread a run? */
    OP_WANTED,    /* do others want the CPU? */
    OP_ENTER,     /* a bucket; waits until nobody is inside */
    OP_LEAVE,     /* it: a store, like any other */
    OP_LOCK_PI,   /* futexes that inherit priority: fifo.h */
    OP_UNLOCK_PI, /* (of a trylock, a is 1) */
    OP_SLEEP,     /* until the thread's next turn, which comes at any later moment */
    OP_PRIORITY,  /* thread b has another one from now on: a.  With c set: which has it? */
    OP_MOVE,      /* to CPU a, from now on */
    OP_ALIVE,     /* is thread a not dead? */
    OP_CLAIM,     /* of src/sys/claim.h: the words b should hold what stands in c; d of them */
    OP_WOKEN,     /* what a woken thread does first, when it runs: it answers a */
    OP_FREE,      /* the program ends the life of an object */
    OP_PLAIN,     /* a plain store comes next: subject/plain.c */
    OP_NOTE       /* nothing: a point where others may run */
};

struct model_op {
    uint64_t kind, addr, size, a, b, c, d;
};

enum model_status {
    THREAD_DONE,
    THREAD_STOPPED, /* wants op */
    THREAD_ASLEEP,  /* in the queue of op.addr */
    THREAD_RUNNING, /* op is performed, result is set: runs on before the next choice */
    THREAD_DYING,   /* was killed, and the kernel has not looked at its robust words yet */
    THREAD_ENDING   /* has not handed on the words for which others wait yet: see `marked` */
};

struct model_store {
    uint64_t addr, size, value;
};

/* Eight-byte fields only, here and below: no padding, so equal states are equal bytes. */
struct model_thread {
    void *sp;
    uint64_t status;
    struct model_op op;
    uint64_t result;
    uint64_t in_section; /* between the first look and the store of a plain release: 1, and one
                            more for each fence that has missed it */
    uint64_t signalled;  /* is to run the program's signal handler now */
    uint64_t in_handler;
    uint64_t tls_id;                 /* fw_self_id_ */
    uint64_t later_lock, later_word; /* fw_wake_later_ */
    uint64_t told, since;            /* what it knows of who runs, and its polling: cpus.c */
    uint64_t priority;               /* under SCHED_FIFO, without what others lend it */
    uint64_t cpu;                    /* the same: where it runs */
    uint64_t buffered;
    struct model_store buffer[MODEL_MAX_BUFFER]; /* the oldest first */
};

/* How often the environment may do what it need not do. */
struct model_budget {
    uint64_t spurious, eintr, signals, ticks, refusals, chances, cancels, kills, rechecks,
        clock_steps;
};

struct model_shared {
    uint64_t dead;   /* bit n: object n was freed */
    uint64_t killed; /* bit n: thread n was */
    uint64_t asleep; /* how many are in the queue */
    /* Sleepers, and posted waits, the longest asleep first, over all addresses. */
    uint64_t queue[MODEL_MAX_THREADS + MODEL_MAX_POSTED];
    uint64_t clock;      /* CLOCK_MONOTONIC */
    uint64_t real_ahead; /* CLOCK_REALTIME less it; modulo 2^64 */
    uint64_t serial;
    uint64_t on_cpu; /* bit n: thread n is; in programs with cpus */
    struct model_budget budget;
    uint64_t shadow[MODEL_SHADOW_WORDS]; /* what the program's checks remember */
    uint64_t last, preemptions;          /* used only when preemptions are bounded */
};

extern struct model_shared model_shared;

static inline uint64_t *shadow(unsigned word)
{
    return &model_shared.shadow[word];
}

static inline uint64_t model_bit(unsigned thread)
{
    return UINT64_C(1) << thread;
}

static inline bool model_is_killed(unsigned thread)
{
    return thread < 64 && (model_shared.killed >> thread & 1) != 0;
}

extern uint8_t model_memory[MODEL_MEMORY];
extern unsigned model_memory_used; /* by objects */
extern struct model_thread model_threads[MODEL_MAX_THREADS];
extern uint8_t model_stacks[MODEL_MAX_THREADS][MODEL_STACK];
extern unsigned model_thread_count;
extern unsigned model_current; /* the running thread */

/* The first violation that was found in the present run; kind is NULL as long as there is none. */
struct model_failure {
    const char *kind;
    const char *text; /* a format for two unsigned long long */
    uint64_t a, b;
};
extern struct model_failure model_failure;

void model_fail(const char *kind, const char *text, uint64_t a, uint64_t b);

/* For coroutines: the same, and the thread never runs on. */
_Noreturn void model_thread_fail(const char *kind, const char *text, uint64_t a, uint64_t b);

/* For coroutines: performs one operation, when the engine says so; returns its result. */
uint64_t model_op(enum model_kind kind, const void *addr, uint64_t size, uint64_t a, uint64_t b,
                  uint64_t c, uint64_t d);

/* For coroutines: ends the thread, from however deep. */
_Noreturn void model_thread_end(void);

/* The same, and it was the end of its process: as if it had been killed here. */
_Noreturn void model_thread_exit(void);

/* Calls that spin without any operation are caught after this many. */
#define MODEL_MAX_PAUSES 100000u
void model_pause(void);

/* A named piece of an object, for reports. */
struct model_part {
    const char *name;
    unsigned offset, size;
};

/* An object in the shared memory.  parts ends with a NULL name; the first that fits is used. */
struct model_object {
    const char *name;
    unsigned offset, size;
    const struct model_part *parts;
    void (*decode)(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size);
};
extern struct model_object model_objects[MODEL_MAX_OBJECTS];
extern unsigned model_object_count;

/* Makes an object of `size` zero bytes, aligned to 8; for a program's setup. */
void *model_object(const char *name, unsigned size, const struct model_part *parts,
                   void (*decode)(uint64_t, unsigned, unsigned, char *, size_t));
/* The object in which [addr, addr + size) lies, or NULL. */
const struct model_object *model_object_at(uint64_t addr, uint64_t size);

/* What is freed holds MODEL_DEAD from then on; a plain store to it is found. */
void model_check_freed(void);

/*
 * Accesses to memory that are no steps: it is not changed (or by one thread only, which nobody
 * minds), or it does not matter what is there.
 */
enum model_access { ACCESS_STEP, ACCESS_DIRECT, ACCESS_NONE };

/* Variables of which each thread has its own; a table of them ends with begin NULL. */
struct model_own {
    uint8_t *begin, *end;
    bool is_of_process; /* threads of one process have them together */
};

/* Under SCHED_FIFO (fifo.h): where a thread runs, and how urgent it is; larger is more. */
struct model_task {
    uint64_t priority;
    unsigned cpu;
};

/* What the programs of a file share: what their threads do, and what must hold. */
struct model_hooks {
    const char *words; /* of their scripts: script.h; or NULL */
    unsigned family;   /* of the locks between processes: programs/ipc_calls.h */
    void (*setup)(void);
    void (*begin)(unsigned self);               /* what each thread does first, or NULL */
    void (*act)(unsigned self, unsigned word);  /* what a word says */
    void (*thread)(unsigned self);              /* or NULL: acts as its words say */
    const struct model_own *(*own)(void);       /* or NULL: there are none */
    void (*handler)(void);                      /* the signal handler, or NULL */
    enum model_access (*access)(const void *p); /* or NULL: all are steps */
    void (*cancelled)(unsigned self);           /* a cancelled thread's clean-up, or NULL */
    void (*killed)(unsigned thread);            /* it will never run again; or NULL */
    bool (*marked)(unsigned thread);            /* marks its robust words; or NULL: kernel.h */
    void (*stepped)(unsigned thread);           /* a thread is about to make a step; or NULL */
    void (*paused)(unsigned self);              /* the thread polls; or NULL */
    /* After each change of memory. */
    void (*changed)(unsigned thread, uint64_t addr, uint64_t before);
    void (*finished)(void); /* checks when all threads are done and all is written back */
};

/* A program under the model. */
struct model_program {
    const char *name;
    const char *about; /* what else there is to say, or NULL */
    unsigned threads;  /* 0: as many as the script has */
    struct model_budget budget;
    uint32_t preemptions;      /* explored with at most this many; 0: with any number */
    uint32_t deep_preemptions; /* the same for --deep */
    uint32_t generation;       /* of the process: how many forks lie behind it */
    bool generic;    /* no restartable sequences: every release is atomic, the fence is nothing */
    bool late_waits; /* a futex wait may come after the end of its word, and finds another value */
    bool old_kernel; /* futex_waitv is not there */
    bool splits;     /* and if it is, it takes several steps: waitv.h */
    unsigned together;     /* threads from the first on that are one process; 0: each is its own */
    unsigned buckets;      /* waiting buckets: subject/buckets.c */
    bool leaves_asleep;    /* it is no error when threads sleep forever (or until a deadline) */
    bool rechecks;         /* a sleep with a deadline may end at any time: see kernel.h */
    uint64_t immortal;     /* bit n: thread n is not killed */
    bool spares_last;      /* nor is the last one */
    bool rechecks_are_due; /* and that is no whim, even if nobody was killed */
    bool is_patient;       /* but only when nothing else can happen, and budget.rechecks times */
    bool unmarked;         /* the kernel has no robust lists */
    unsigned cpus;         /* how many there are; 0: enough for all (cpus.h) */
    uint32_t cpu_count;    /* how many fw_cpus_allowed_ tells of; 0: 1 */
    const struct model_task *tasks;   /* of each thread; NULL: no SCHED_FIFO */
    bool (*may_run)(unsigned thread); /* or NULL: whoever is stopped makes steps */
    uint64_t assist;                  /* what is told of who runs: enum model_assist */
    bool time_passes;   /* whoever polls is bound to find the clock a tick later, once */
    const char *kernel; /* its release, as uname tells it; NULL: one whose fences miss nothing */
    const char *environment; /* "FURWOCK_FENCES=1", or NULL */
    unsigned misses;         /* how many fences may miss one and the same plain release */
    const char *expects;     /* the failure that it must show; NULL: none */
    const struct model_hooks *hooks;
    const char *script; /* what its threads do: script.h; or NULL */
    uint64_t initial;   /* what the object is made with, as the file says */
    const void *arg;    /* what else the file wants to know */
};
extern const struct model_program *model_program;

#endif
