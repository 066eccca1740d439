/* SPDX-License-Identifier: MIT */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The kernel model.  One call is one step, as the kernel's bucket lock makes it, except for
 * membarrier, which reaches the other threads one after the other.
 *
 * All work on the operation that the thread stands at (model_threads[thread].op), and either set
 * its result (kernel_return) or put it to sleep.
 */

/* An answer that no kernel gives: the plain release was aborted. */
#define KERNEL_ABORTED UINT64_MAX

/* No deadline. */
#define KERNEL_FOREVER UINT64_MAX

/* A reading may find the clock this much later: beyond every budget and limit of the locks. */
#define KERNEL_TICK_NS UINT64_C(1000000)
#define KERNEL_BOOT_NS UINT64_C(1000000000)
/* So far somebody sets CLOCK_REALTIME: beyond every slice, deadline and tick. */
#define KERNEL_CLOCK_STEP_NS UINT64_C(500000000)

void kernel_return(unsigned thread, uint64_t result);

/* The flag of a wait (op.d) during which the thread may be cancelled. */
#define WAIT_CANCELLABLE 1u

/* The flag of a wait, and of a reading of the clock (op.a), that mean CLOCK_REALTIME. */
#define ON_REALTIME 2u

void kernel_wait(unsigned thread);
void kernel_cancel(unsigned thread);

/* May it find its word gone, and answer EFAULT? */
bool kernel_may_fault(unsigned thread);
void kernel_wake(unsigned thread);

/*
 * Wakes up to n sleepers on addr whose bits meet `bits`; returns how many.  Among them, that the
 * wake is a process's own: it meets no sleeper of a futex that is shared, nor the other way round.
 * (Only of those who sleep on several words the model knows which theirs are.)
 */
#define WAKE_PRIVATE (UINT64_C(1) << 32)
uint64_t kernel_wake_some(uint64_t addr, uint64_t n, uint64_t bits);

/* What sleeps leaves the queue: a thread, or a posted wait. */
void kernel_dequeue(unsigned entry);
void kernel_requeue(unsigned thread, bool compare);
void kernel_enqueue(unsigned thread); /* asleep, as the last one */
void kernel_end_sleep(unsigned thread, int64_t result);

/*
 * A reading of the clock, and one that finds it a tick later: within the budget, by whim; where
 * time passes, as soon as the thread polls, once in each phase of polling.
 */
void kernel_clock(unsigned thread);
bool kernel_may_tick(unsigned thread);
void kernel_tick(unsigned thread);

/* Does the thread look at CLOCK_REALTIME next, or sleep by it?  And: somebody sets that clock. */
bool kernel_minds_realtime(unsigned thread);
void kernel_set_clock(bool ahead);

/* May this thread's sleep time out now?  And if so, without time passing? */
bool kernel_may_time_out(unsigned thread);
bool kernel_time_out_is_free(unsigned thread);
void kernel_time_out(unsigned thread);

/*
 * May the sleep end, and nobody knows how much later that is?  In programs with re-checks, any
 * sleep with a deadline may.  As long as no thread was killed, this is a whim: wakes are given.
 * From then on they may be lost, and it is bound to come.
 */
bool kernel_may_recheck(unsigned thread);

/*
 * Death.  A killed thread does nothing more, and stands in no queue.  Sooner or later its stores
 * have all arrived, and the kernel looks at the words that the thread's robust list names: where
 * one has its id, DIED takes its place, and if WAITERS was set, one who sleeps there is woken.
 * (kernel/futex: exit_robust_list, handle_futex_death.)
 *
 * The futexes that inherit are handed on after that.  In programs with a hook `marked`, which goes
 * through the list of the program's own threads, others may come in between (exit_pi_state_list),
 * except those who ask for a word of that thread's for which nobody sleeps: they wait in the kernel
 * until it has ended (wait_for_owner_exiting).
 */
void kernel_kill(unsigned thread);
void kernel_mark(unsigned thread);
void kernel_mark_word(unsigned thread, uint64_t addr, bool is_pending);

/* One target of the fence: its stores become visible, and its plain release is aborted. */
void kernel_interrupt(unsigned thread, unsigned target);
bool kernel_owes_interrupt(unsigned thread, unsigned target);
/*
 * The same, and the target was on its way back from an interruption of its plain release: it had
 * read whether it has to begin that anew, and was about to clear what it had read.  So the release
 * goes on.  (Linux before "rseq: Protect event mask against membarrier IPI".)  For each release,
 * that may happen to as many fences as the program says.
 */
bool kernel_may_miss(unsigned target);
void kernel_miss(unsigned thread, unsigned target);

/* Ends the fence when all targets were reached. */
void kernel_finish_fence(unsigned thread);

void kernel_abort_section(unsigned thread);

#endif
