/* SPDX-License-Identifier: MIT */
/*
 * Which threads were last seen on the caller's CPU: sys/last_cpu.h.
 *
 * A table says where each thread's struct rseq is.  That lies in the thread's own memory, which
 * goes away with the thread.  So a reader looks inside a restartable sequence, and a thread that
 * ends takes itself out of the table.  If it then finds that somebody is about to look, it fences:
 * who looked before the fence is done, or starts anew.  Mostly nobody is, and an end costs no
 * system call.
 *
 * slot      meaning                           left by
 * --------  --------------------------------  -----------------------------------------------------
 * 0         nobody's                          a thread that joins: CAS to TAKEN
 * TAKEN     a thread is about to join         that one: stores its area, then its number
 * number    that thread's area may be read    that one, when it ends: 0, and sees to readers (CPU2)
 *
 * thread    meaning                           left by
 * --------  --------------------------------  -----------------------------------------------------
 * NEW       has not tried                     joins
 * STRANGER  found no place                    fork, in the child: NEW
 * KNOWN     has a slot                        ends: GONE; fork, in the child: NEW
 * GONE      its clean-up has run              nothing: what still runs in it joins no more
 *
 * Legal:   a thread without a slot (others know nothing of it); a slot that is TAKEN forever.
 * Illegal: a number in a slot whose thread has seen to its readers.
 *
 * CPU1  An area is read only inside a sequence that has found the number in the slot, while the
 *       reader counts as one of the slot's readers.
 * CPU2  Between leaving its slot and the end of its memory, a thread has found no readers, or
 *       fenced. (Counting and leaving are locked instructions: a reader that is not seen sees the
 *       0.)
 *
 * Legal:   readers that count too many (a signal handler that never returned): fences, all
 *          needless.
 *
 * CPU2 does not hold for a thread that ends by a bare exit system call, of its own making: if its
 * stack is unmapped while others wait for a lock that it holds, they read unmapped memory.  Nor for
 * one that first joins in the last round of its key destructors, or in a signal handler later.  The
 * next thread of the same number takes the slot over.
 */
#include <pthread.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/self.h>

#include "sys/clock.h"
#include "sys/clock_sleep.h"
#include "sys/fork.h"
#include "sys/last_cpu.h"
#include "sys/release.h"
#include "sys/thread.h"

/*
 * Thread ids are mostly given out one after the other, and then the last bits tell them apart.
 * Were they random, 2 of 64 threads would find their slot taken (64 * 63 / 2 pairs over 1024).
 */
#define SLOTS 1024u

/* No thread has this number: none is above FW_ID_NUMBER_MAX. */
#define TAKEN UINT32_MAX

struct slot {
    uint32_t tid;
    uint32_t readers; /* that may be about to look, of this thread or one before */
    const char *area;
};

_Static_assert(offsetof(struct slot, tid) == 0, "as the sequence below has it");
_Static_assert(offsetof(struct slot, area) == 8, "as the sequence below has it");

enum standing { NEW, STRANGER, KNOWN, GONE };

/* Elsewhere the first access in a thread may allocate. */
#define STATIC_TLS __thread __attribute__((tls_model("initial-exec")))

static struct slot slots[SLOTS];
static STATIC_TLS enum standing standing;

/*
 * The last thread that was not on the caller's CPU, and the sequence by which the caller found out.
 * The kernel forgets the sequence that a thread has last entered when it takes the CPU from it.
 */
static STATIC_TLS uint32_t asked_tid;
static STATIC_TLS uint64_t asked_by;

/* glibc keeps the values of its first 32 keys in the thread itself; for others it allocates. */
#define KEYS_IN_PLACE 32u

#define REFUSED_FENCE_NS 20000000

static pthread_key_t at_end;
static bool has_key;

static struct slot *slot_of(uint32_t tid)
{
    return &slots[tid % SLOTS];
}

static uint32_t own_tid(void)
{
    return fw_thread_self_() >> FW_ID_SHIFT;
}

static const char *own_area(ptrdiff_t offset)
{
    const char *thread;

    __asm__("movq %%fs:0, %0" : "=r"(thread));
    return thread + offset;
}

/* The sequence that the caller has last entered; 0: it has lost its CPU since. */
static uint64_t own_sequence(ptrdiff_t offset)
{
    uint64_t sequence;

    __asm__ __volatile__("movq %%fs:8(%1), %0" : "=r"(sequence) : "r"(offset));
    return sequence;
}

/*
 * Where the kernel refuses the fence.  A thread inside a sequence runs: off its CPU it would start
 * anew.  So it is done in a few nanoseconds, unless a hypervisor stops its virtual CPU, which is
 * assumed never to last longer than two of Linux's longest time slices (10 ms).
 */
static void let_readers_go(void)
{
    fw_clock_sleep_until_(fw_clock_ns_() + REFUSED_FENCE_NS);
}

/* number -> 0.  The thread ends. */
static void leave(void *slot)
{
    struct slot *mine = slot;
    enum standing stood = standing;

    standing = GONE;
    if (stood != KNOWN)
        return;
    fw_xchg32_seq_cst(&mine->tid, 0); /* a full barrier, and before the look at readers */
    if (fw_load32_acquire(&mine->readers) != 0 && fw_release_fence_() != 0)
        let_readers_go();
}

/* 0 -> TAKEN -> number. */
static void join(ptrdiff_t offset)
{
    uint32_t tid = own_tid();
    struct slot *slot = slot_of(tid);
    uint32_t nobody = 0;

    standing = STRANGER; /* a signal handler that asks meanwhile changes nothing */
    if (!has_key || (!fw_cas32_acquire(&slot->tid, &nobody, TAKEN) && nobody != tid))
        return;
    if (pthread_setspecific(at_end, slot) != 0) {
        fw_store32_relaxed(&slot->tid, 0);
        return;
    }
    __atomic_store_n(&slot->area, own_area(offset), __ATOMIC_RELAXED);
    fw_store32_release(&slot->tid, tid);
    standing = KNOWN;
}

void fw_last_cpu_join_(void)
{
    ptrdiff_t offset = __atomic_load_n(&fw_rseq_offset_, __ATOMIC_RELAXED);

    asked_by = 0;
    if (standing == NEW && offset != 0)
        join(offset);
}

/*
 * Is the number in the area the same as the caller's?  struct rseq: cpu_id is at offset 4, rseq_cs
 * at 8.  The rest is as in sys_release_arch.h, but that nothing is stored at the end.
 */
static bool look(const struct slot *slot, uint32_t tid, ptrdiff_t own)
{
    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
                 ".balign 32\n"
                 "3: .long 0, 0\n"
                 ".quad 1f, 2f - 1f, 4f\n"
                 ".popsection\n"
                 "leaq 3b(%%rip), %%rax\n"
                 "movq %%rax, %%fs:8(%[own])\n"
                 "1:\n"
                 "cmpl %[tid], (%[slot])\n"
                 "jne %l[other]\n"
                 "movq 8(%[slot]), %%rcx\n"
                 "movl 4(%%rcx), %%eax\n"
                 "cmpl %%eax, %%fs:4(%[own])\n"
                 "jne %l[other]\n"
                 "2:\n"
                 "jmp 5f\n"
                 ".byte 0x0f, 0xb9, 0x3d\n" /* ud1, which makes the signature an instruction */
                 ".long 0x53053053\n"
                 "4: jmp %l[other]\n"
                 "5:\n"
                 : /* asm goto with outputs is too young */
                 : [slot] "r"(slot), [tid] "r"(tid), [own] "r"(own)
                 : "rax", "rcx", "cc", "memory"
                 : other);
    return true;
other:
    return false;
}

/* The same, as a reader of the slot (CPU1). */
static bool look_as_reader(struct slot *slot, uint32_t tid, ptrdiff_t own)
{
    bool is_mine;

    fw_add32_acquire(&slot->readers, 1); /* a full barrier: leave() */
    is_mine = look(slot, tid, own);
    fw_add32_release(&slot->readers, UINT32_MAX);
    return is_mine;
}

/* The caller was told no, and has kept its CPU ever since. */
static bool no_stands(uint32_t tid, ptrdiff_t own)
{
    return tid == asked_tid && asked_by != 0 && own_sequence(own) == asked_by;
}

bool fw_last_cpu_is_mine_(uint32_t tid)
{
    ptrdiff_t own = __atomic_load_n(&fw_rseq_offset_, __ATOMIC_RELAXED);

    if (own == 0 || tid == 0 || no_stands(tid, own))
        return false;
    if (fw_load32_relaxed(&slot_of(tid)->tid) != tid)
        return false;
    if (look_as_reader(slot_of(tid), tid, own))
        return true;
    asked_tid = tid;
    asked_by = own_sequence(own); /* 0 if the look was cut short */
    return false;
}

/* In the child, which has one thread only. */
static void after_fork_in_child(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].tid != 0 || slots[i].readers != 0)
            slots[i] = (struct slot){0, 0, NULL};
    asked_by = 0;
    if (standing != GONE)
        standing = NEW;
}

FW_CONSTRUCTOR static void prepare(void)
{
    has_key = pthread_key_create(&at_end, leave) == 0 && at_end < KEYS_IN_PLACE;
    if (has_key)
        fw_at_fork_(after_fork_in_child);
}
