/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_VM_SCX_HANG_H
#define FW_TEST_VM_SCX_HANG_H

/*
 * A process that is no task makes the timer interrupts of that CPU last, time and again, until
 * the kernel takes them for a hang, and has no timers there for as long as they have taken.  Ends
 * with its parent.
 */
void scx_hang_timers(unsigned cpu);

/* How often the kernel has taken an interrupt for one; and the longest, ns. */
struct scx_hangs {
    unsigned long number, longest;
};
struct scx_hangs scx_hangs(unsigned cpu);

#endif
