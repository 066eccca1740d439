/* SPDX-License-Identifier: MIT */
#ifndef JOB_TABLE_H
#define JOB_TABLE_H

/*
 * The layout of the table, for the programs in all three languages: job_table.c includes this file,
 * job_table.rs and job_table.py read the numbers out of it.
 *
 * A region has these objects:
 *   "jobs"         the mutex of the table
 *   "jobs.data"    the table: 64-bit words
 *   "slot 0" ...   a mutex for each worker, which it holds as long as it lives.  A process that can
 *                  take the slot of a running job knows that the worker of that job is dead.
 *
 * Rules
 *  - A job is changed by one store of one word, so it is never half changed.  The counts are
 *    changed next to it, and are wrong if a process dies in between: whoever takes the mutex after
 *    a death counts anew.
 *  - A job runs in rounds.  READY -> RUNNING in a slot -> DONE -> READY in the next round.
 *  - RUNNING -> READY in the same round if the worker of that slot is dead.
 *  - The result of a round is written before the job is DONE, and checked before the next round.
 */

#define JOB_TABLE_REGION_SIZE 262144
#define JOB_TABLE_WORDS 208

/* Words. */
#define JOB_TABLE_CLOSED 0   /* 1: no further rounds; workers end when all jobs are DONE */
#define JOB_TABLE_DEATHS 1   /* how often a process died with the mutex */
#define JOB_TABLE_PUT_BACK 2 /* how often a job of a dead worker was made READY again */
#define JOB_TABLE_COUNTS 4   /* three: how many jobs are READY, RUNNING, DONE */
#define JOB_TABLE_STEPS 8    /* for each slot: how many jobs its workers have done */
#define JOB_TABLE_SLOTS 8
#define JOB_TABLE_JOBS_AT 16 /* two words for each job: its state, and its result */
#define JOB_TABLE_JOBS 96

/* The word of a job: round << 16 | slot << 8 | state. */
#define JOB_TABLE_READY 0
#define JOB_TABLE_RUNNING 1
#define JOB_TABLE_DONE 2
#define JOB_TABLE_SLOT_SHIFT 8
#define JOB_TABLE_ROUND_SHIFT 16

/* The result of a round: job * FACTOR + round. */
#define JOB_TABLE_FACTOR 1000003

/* How long a job takes, and how long a worker without one waits, in microseconds. */
#define JOB_TABLE_WORK_US 20

#endif
