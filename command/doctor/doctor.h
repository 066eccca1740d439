/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_DOCTOR_DOCTOR_H
#define FW_COMMAND_DOCTOR_DOCTOR_H

#include <stddef.h>

/*
 * furwock doctor: the kernel and libc features that locks can use, found by trying, not by version
 * numbers: a container's filter or an option of the kernel can take away what a version has.
 * Nothing is changed, and nothing stays behind.
 */
enum doctor_state {
    DOCTOR_NO,      /* it is not there */
    DOCTOR_REFUSED, /* it may be there, but this process may not use it */
    DOCTOR_YES
};

struct doctor_finding {
    enum doctor_state state;
    char detail[160]; /* a number, a path, a reason; may be empty */
};

/* What it means if the answer is not yes. */
enum doctor_weight {
    DOCTOR_EXTRA,  /* nothing: it is for those who want it */
    DOCTOR_FASTER, /* all locks work, some slower than they could */
    DOCTOR_NEEDED  /* something of the library fails here */
};

struct doctor_question {
    const char *name;
    void (*ask)(struct doctor_finding *f);
    const char *there;   /* what follows, and for which lock */
    const char *missing; /* the same, where the answer is another than yes */
    enum doctor_weight weight;
    const char *remedy; /* where there is none, and it is not DOCTOR_EXTRA */
    const char *allow;  /* where it is refused; NULL: DOCTOR_ALLOW */
};

#define DOCTOR_ALLOW "let the container or sandbox of this process allow the call (seccomp)"

/* The exit status where something that is needed is not there. */
enum { DOCTOR_ILL = 3 };

extern const struct doctor_question doctor_kernel[], doctor_system[], doctor_assist[], doctor_rt[];
extern const size_t doctor_kernel_count, doctor_system_count, doctor_assist_count, doctor_rt_count;
extern const struct doctor_question doctor_processes[];
extern const size_t doctor_processes_count;

/* By the error of a system call that was made to fail: 0, or any error but the two, is yes. */
enum doctor_state doctor_state_of(int error);

#endif
