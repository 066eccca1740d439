/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SUBJECT_RT_H
#define MODEL_SUBJECT_RT_H

/*
 * Comes before the sources of the real-time locks, and the model's programs on them: groups of the
 * size that the programs have, and others come in between where a decision looks around.
 */
#define FW_MODEL

#define FW_RT_TASKS 4u
#define FW_RT_LOCKS 2u
#define FW_RT_CPUS 2u
#define FW_RT_SCX_PAGE_SIZE 256u
#define FW_RT_SCX_NOTES 1u

/* A look at the next task, or at the next lock, is where others may come in between. */
void subject_look(void);
#define FW_RT_EACH(i, n) for (i = 0; i < (int)(n) && (subject_look(), 1); i++)

/* Where programs with threads that others have moved say that these are. */
extern int (*subject_cpu_of)(unsigned thread);

/* Do such looks matter in the program?  Are there restartable sequences? */
extern _Bool subject_looks, subject_claims;

#endif
