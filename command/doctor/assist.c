/* SPDX-License-Identifier: MIT */
/* What can tell whether the owner of a lock runs, or let it run on: the kernel, if asked to. */
#include "bpf/running/loader.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/waits/program.h"
#include "command/assist/assist.h"
#include "doctor.h"
#include "sys/probe.h"
#include "sys/running_page.h"
#include "sys/slice.h"
#include "sys_slice_arch.h"

/* --- Does it run, and may the caller read? ---------------------------------------------------- */

static void ask_assist(struct doctor_finding *f)
{
    struct fw_assist_status now = {.running = false};
    char line[ASSIST_LINE] = "", readers[ASSIST_READERS];
    fw_bpf_result result = fw_assist_status(&now, line, sizeof line);

    if (result == FW_BPF_NOT_PERMITTED) {
        f->state = DOCTOR_REFUSED;
        snprintf(f->detail, sizeof f->detail, "%.*s", (int)sizeof f->detail - 1, line);
    } else if (result == FW_BPF_DONE && now.running && now.version != FW_ASSIST_VERSION) {
        snprintf(f->detail, sizeof f->detail, "version %u runs, and is not understood",
                 now.version);
    } else if (result == FW_BPF_DONE && now.running) {
        f->state = DOCTOR_YES;
        assist_readers_text(now.readers, now.group, readers);
        snprintf(f->detail, sizeof f->detail, "participants by %s, %u now, readable by %s",
                 assist_registration_name(now.registration), now.participants, readers);
    } else {
        snprintf(f->detail, sizeof f->detail, "not running");
    }
}

/* --- Could it run? ---------------------------------------------------------------------------- */

#define TYPES "/sys/kernel/btf/vmlinux"
enum { TYPES_MOST = 64 << 20 }; /* bytes; kernels have 4 to 10 million */

/* The kernel's own description of its types, which has the names of its events; NULL: none. */
static char *read_types(size_t *size)
{
    FILE *in = fopen(TYPES, "re");
    char *types = in != NULL ? malloc(TYPES_MOST) : NULL;

    if (types != NULL)
        *size = fread(types, 1, TYPES_MOST, in);
    if (in != NULL)
        fclose(in);
    return types;
}

static bool has_event(const char *types, size_t size, const char *event)
{
    char name[64] = ""; /* between two zeroes */
    int length = snprintf(name + 1, sizeof name - 1, "btf_trace_%s", event);

    return memmem(types, size, name, (size_t)length + 2) != NULL;
}

/* How processes would become participants; NULL: it cannot run on this kernel. */
static const char *registration(const char *types, size_t size)
{
    if (!has_event(types, size, "sched_switch"))
        return NULL;
    return has_event(types, size, "task_prctl_unknown")   ? "participants by prctl"
           : has_event(types, size, "sched_process_wait") ? "participants by wait"
                                                          : "with --all only";
}

static void ask_could_assist(struct doctor_finding *f)
{
    size_t size = 0;
    char *types = read_types(&size);
    const char *how = types != NULL ? registration(types, size) : NULL;
    int error;

    if (!fw_assist_built_in())
        snprintf(f->detail, sizeof f->detail, "this program was built without it");
    else if (types == NULL)
        snprintf(f->detail, sizeof f->detail, TYPES ": %s", strerror(errno));
    else if (how == NULL)
        snprintf(f->detail, sizeof f->detail, "the kernel tells of no event sched_switch");
    else if ((error = fw_probe_bpf_program_()) != 0 || (error = fw_probe_bpf_mount_()) != 0) {
        f->state = doctor_state_of(error) == DOCTOR_REFUSED ? DOCTOR_REFUSED : DOCTOR_NO;
        snprintf(f->detail, sizeof f->detail, "%s, %s", how, strerror(error));
    } else {
        f->state = DOCTOR_YES;
        snprintf(f->detail, sizeof f->detail, "%s", how);
    }
    free(types);
}

/* --- Can locks of any program be watched? ----------------------------------------------------- */

static void ask_top(struct doctor_finding *f)
{
    char line[300] = "";
    fw_bpf_result result = fw_waits_possible(line, sizeof line);

    f->state = result == FW_BPF_DONE            ? DOCTOR_YES
               : result == FW_BPF_NOT_PERMITTED ? DOCTOR_REFUSED
                                                : DOCTOR_NO;
    snprintf(f->detail, sizeof f->detail, "%.*s", (int)sizeof f->detail - 1,
             result == FW_BPF_DONE ? "" : line);
}

/* --- Longer time slices for the owner of a lock ----------------------------------------------- */

enum { ERROR_NOT_SUPPORTED = 524 }; /* the kernel's ENOTSUPP */

/* It is a thread's own, and ends with it. */
static void *ask_for_slice(void *error)
{
    *(int *)error = -fw_slice_allow_();
    return NULL;
}

static void ask_slice(struct doctor_finding *f)
{
    pthread_t thread;
    int answer = 0, error = pthread_create(&thread, NULL, ask_for_slice, &answer);
    const char *why = "";

    if (error != 0)
        answer = error;
    else
        pthread_join(thread, NULL);
    f->state = doctor_state_of(answer) == DOCTOR_REFUSED ? DOCTOR_REFUSED : DOCTOR_NO;
    if (answer == 0 && fw_slice_area_() != NULL)
        f->state = DOCTOR_YES;
    else if (answer == 0)
        why = "the kernel has it, and the library does without rseq";
    else if (answer == ENXIO)
        why = "the kernel has it, and the C library has registered no rseq";
    else if (answer == ERROR_NOT_SUPPORTED)
        why = "the kernel has it, and it is switched off";
    else if (answer == EINVAL)
        why = "the kernel has none";
    snprintf(f->detail, sizeof f->detail, "%s", why);
}

const struct doctor_question doctor_assist[] = {
    {"assist", ask_assist,
     "a waiter spins as long as the owner of the lock runs, and sleeps when it does not",
     "a waiter spins for a fixed time, unless the owner of the lock was last on the waiter's CPU",
     DOCTOR_EXTRA, NULL, NULL},
    {"assist possible", ask_could_assist, "furwock assist start starts it",
     "furwock assist start fails, started from here", DOCTOR_EXTRA, NULL, NULL},
    {"furwock top", ask_top, "top and record show what any running program waits for",
     "top and record do not work; run --stat shows what a program waits for that it starts",
     DOCTOR_EXTRA, NULL, NULL},
    {"rseq slice extension", ask_slice,
     "a thread that holds a contended fw_mutex asks to run on for some microseconds",
     "a thread that holds a lock is preempted as any other is", DOCTOR_EXTRA, NULL, NULL},
};
const size_t doctor_assist_count = sizeof doctor_assist / sizeof *doctor_assist;
