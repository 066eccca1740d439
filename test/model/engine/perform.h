/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PERFORM_H
#define MODEL_PERFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/*
 * What can happen next, and making it happen.  A choice is a thread and a letter; a schedule is a
 * list of choices, written "A.B.Bf.A" (thread A, thread B, a store of B reaches memory, thread
 * A).
 */
enum {
    CHOICE_DO = 'd', /* the operation at which the thread stands; not written in schedules */
    CHOICE_FLUSH = 'f',
    CHOICE_ABORT = 'a',
    CHOICE_SPURIOUS = 's',
    CHOICE_EINTR = 'i',
    CHOICE_TIME_OUT = 't',
    CHOICE_TICK = 'c',
    CHOICE_SET_BACK = 'b', /* somebody sets CLOCK_REALTIME, which this thread looks at */
    CHOICE_SET_AHEAD = 'j',
    CHOICE_REFUSE = 'r',
    CHOICE_FAULT = 'e',
    CHOICE_SIGNAL = 'x',
    CHOICE_YES = 'y',
    CHOICE_CANCEL = 'k',
    CHOICE_RECHECK = 'n',
    CHOICE_KILL = 'K',
    CHOICE_COMES = '>',    /* gets a CPU */
    CHOICE_GOES = '<',     /* is taken off its CPU */
    CHOICE_SAYS_YES = '+', /* the page says so, of OP_RUNNING and OP_WANTED */
    CHOICE_SAYS_NO = '-',
    CHOICE_TURN = 'w',     /* of a thread under OP_SLEEP, to go on */
    CHOICE_MARK = 'M',     /* of the kernel, on a dead thread's robust words */
    CHOICE_MISS = 'P',     /* and the next letters: which thread's sequence the fence misses */
    CHOICE_INTERRUPT = '0' /* and the next digits: which thread the fence reaches */
};

struct model_choice {
    uint8_t thread;
    uint8_t what;
};

#define MODEL_MAX_CHOICES 96u

/* All choices in the present state. */
unsigned perform_list(struct model_choice *list);

/* Does a fence reach a thread, and miss its plain release? */
static inline bool perform_is_miss(struct model_choice choice)
{
    return choice.what >= CHOICE_MISS && choice.what < CHOICE_MISS + MODEL_MAX_THREADS;
}

/* Is this one bound to come, or a whim of the environment?  Nobody may rely on a whim. */
bool perform_is_whim(struct model_choice choice);

/*
 * Is the operation at which the thread stands none that others notice (model_program->access)?  It
 * is done then.  Where threads are processes, so is one on a variable of the program: each process
 * has its own; what is done to it must be undone before the thread's next step (a lock that nobody
 * else wants).
 */
bool perform_is_no_step(unsigned thread);

/* Makes the step; afterwards every thread is stopped, asleep or done.  May set model_failure. */
void perform(struct model_choice choice);

/* Puts the state at the start of the program, every thread at its first operation. */
void perform_start(void);

/* A fresh coroutine for each thread is made by perform_start; this is for the engine only. */
void perform_run_all(void);

#endif
