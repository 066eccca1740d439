/* SPDX-License-Identifier: MIT */
/* What the process has been given: by the C library, the administrator, and the installation. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "await/engine.h"
#include "command/command.h"
#include "command/run/run.h"
#include "doctor.h"
#include "sys/fences.h"
#include "sys/probe.h"

enum {
    AUX_RSEQ_FEATURE_SIZE = 27,
    RSEQ_FEATURES_WITH_MM_CID = 28 /* bytes */
};

/* glibc 2.35 and later. */
extern const unsigned __rseq_size __attribute__((weak));

static void ask_rseq(struct doctor_finding *f)
{
    const volatile unsigned *size = &__rseq_size;
    unsigned long features = getauxval(AUX_RSEQ_FEATURE_SIZE);

    f->state = size != NULL && *size != 0 ? DOCTOR_YES : DOCTOR_NO;
    if (f->state == DOCTOR_YES)
        snprintf(f->detail, sizeof f->detail, "%s",
                 features >= RSEQ_FEATURES_WITH_MM_CID ? "with mm_cid" : "without mm_cid");
    else
        snprintf(f->detail, sizeof f->detail, "%s",
                 size == NULL ? "the C library has none" : "the kernel, or a setting, has none");
}

static void ask_membarrier(struct doctor_finding *f)
{
    struct utsname system;
    bool has;
    int error = fw_probe_membarrier_rseq_(&has);

    f->state = error != 0 ? doctor_state_of(error) : has ? DOCTOR_YES : DOCTOR_NO;
    if (f->state == DOCTOR_YES && uname(&system) == 0 && fw_fences_needed_(system.release) > 1)
        snprintf(f->detail, sizeof f->detail,
                 "may miss a sequence (no fix known before 6.18 and 6.1.157), and is called twice");
}

/* A thread asks for it at its birth: nothing of the process changes. */
static void *nothing(void *arg)
{
    return arg;
}

static int start_in_real_time(void)
{
    struct sched_param priority = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    pthread_attr_t attributes;
    pthread_t thread;
    int error;

    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &priority);
    error = pthread_create(&thread, &attributes, nothing, NULL);
    if (error == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

static void ask_real_time(struct doctor_finding *f)
{
    int error = start_in_real_time();
    struct rlimit limit = {0};
    char us[32];

    f->state = error == 0 ? DOCTOR_YES : error == EPERM ? DOCTOR_REFUSED : DOCTOR_NO;
    getrlimit(RLIMIT_RTPRIO, &limit);
    if (error != 0)
        snprintf(f->detail, sizeof f->detail, "RLIMIT_RTPRIO is %lu, CAP_SYS_NICE is missing",
                 (unsigned long)limit.rlim_cur);
    else if (command_first_line("/proc/sys/kernel/sched_rt_runtime_us", us, sizeof us))
        snprintf(f->detail, sizeof f->detail, "%s%s%s",
                 us[0] == '-' ? "not throttled" : "throttled to ", us[0] == '-' ? "" : us,
                 us[0] == '-' ? "" : " us a period");
}

/* A whole round: a wait is armed, woken and reaped. */
static void ask_engine(uint32_t which, struct doctor_finding *f)
{
    int error = fw_engine_try_(which);

    f->state = error == 0                                             ? DOCTOR_YES
               : error == EPERM || error == EACCES || error == ENOMEM ? DOCTOR_REFUSED
                                                                      : DOCTOR_NO;
    if (error == ENOTSUP)
        snprintf(f->detail, sizeof f->detail, "it does not wait for words");
    else if (error != 0)
        snprintf(f->detail, sizeof f->detail, "%s", strerror(error));
}

static void ask_io_uring(struct doctor_finding *f)
{
    ask_engine(FW_ENGINE_URING_, f);
}

static void ask_helper(struct doctor_finding *f)
{
    ask_engine(FW_ENGINE_THREAD_, f);
}

static void ask_bpf(struct doctor_finding *f)
{
    int error = fw_probe_bpf_map_();

    f->state = error == 0 ? DOCTOR_YES : doctor_state_of(error);
}

static void ask_sched_ext(struct doctor_finding *f)
{
    f->state = command_first_line("/sys/kernel/sched_ext/state", f->detail, sizeof f->detail)
                   ? DOCTOR_YES
                   : DOCTOR_NO;
}

/* Clocks that user space reads itself; the others cost a system call. */
static void ask_clock(struct doctor_finding *f)
{
    static const char *const quick[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
                                        "arch_sys_counter"};

    f->state = DOCTOR_NO;
    if (!command_first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                            f->detail, sizeof f->detail))
        snprintf(f->detail, sizeof f->detail, "not known");
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (strcmp(f->detail, quick[i]) == 0)
            f->state = DOCTOR_YES;
}

static void ask_cpus(struct doctor_finding *f)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    f->state = n > 1 ? DOCTOR_YES : DOCTOR_NO;
    snprintf(f->detail, sizeof f->detail, "%d may be used", n);
}

static void ask_shared_memory(struct doctor_finding *f)
{
    f->state = access("/dev/shm", R_OK | W_OK | X_OK) == 0 ? DOCTOR_YES
               : errno == EACCES || errno == EROFS         ? DOCTOR_REFUSED
                                                           : DOCTOR_NO;
}

static void ask_drop_in(struct doctor_finding *f)
{
    char path[PATH_MAX];

    f->state = run_find_library(RUN_QUIET, path) ? DOCTOR_YES : DOCTOR_NO;
    if (f->state == DOCTOR_YES)
        snprintf(f->detail, sizeof f->detail, "%.*s", (int)sizeof f->detail - 1, path);
}

const struct doctor_question doctor_system[] = {
    {"rseq", ask_rseq,
     "with membarrier, fw_mutex and POSIX mutexes are released without an atomic instruction; "
     "readers of fw_brlock need none",
     "fw_mutex, POSIX mutexes and fw_brlock use one more atomic instruction", DOCTOR_FASTER,
     "glibc 2.35 or later, and no GLIBC_TUNABLES that switches glibc.pthread.rseq off", NULL},
    {"membarrier for rseq", ask_membarrier, "as for rseq",
     "fw_mutex, POSIX mutexes and fw_brlock use one more atomic instruction", DOCTOR_FASTER,
     "a kernel from Linux 5.10 on, with CONFIG_MEMBARRIER and CONFIG_RSEQ", NULL},
    {"two CPUs", ask_cpus, "a waiter spins for a moment before it sleeps",
     "a waiter that spins all the same does so needlessly: the owner cannot run meanwhile; "
     "furwock run --policy spin=0 avoids that",
     DOCTOR_EXTRA, NULL, NULL},
    {"fast clock", ask_clock, "timed waits and spinning read the time without a system call",
     "reading the time is a system call: timed waits cost more", DOCTOR_FASTER,
     "another clock source, of those in /sys/devices/system/clocksource/clocksource0/"
     "available_clocksource: tsc, kvm-clock, hyperv_clocksource_tsc_page or arch_sys_counter",
     NULL},
    {"real-time threads", ask_real_time,
     "PTHREAD_PRIO_PROTECT works; PTHREAD_PRIO_INHERIT has priorities to inherit",
     "locking a mutex with PTHREAD_PRIO_PROTECT fails (EPERM) if it has to raise a priority; "
     "PTHREAD_PRIO_INHERIT has none to inherit",
     DOCTOR_EXTRA, NULL, NULL},
    {"/dev/shm", ask_shared_memory, "regions and named semaphores can be made",
     "regions by name and sem_open fail", DOCTOR_NEEDED, "mount -t tmpfs -o mode=1777 shm /dev/shm",
     "let this user read, write and search it: mode 1777, and not mounted read-only"},
    {"io_uring futexes", ask_io_uring, "loops wait by io_uring for locks that other processes hold",
     "loops wait for locks that other processes hold by a helper thread: one switch more a wake",
     DOCTOR_FASTER, "a kernel from Linux 6.7 on",
     "kernel.io_uring_disabled=0, a filter (seccomp) that allows io_uring_setup, "
     "io_uring_enter, and 16 KiB of RLIMIT_MEMLOCK"},
    {"helper threads", ask_helper, "loops can wait for locks that other processes hold",
     "loops cannot wait for locks that other processes hold", DOCTOR_NEEDED,
     "resources for one more thread", NULL},
    {"BPF", ask_bpf, "no lock needs it; the assist does", "no lock needs it; no assist from here",
     DOCTOR_EXTRA, NULL, NULL},
    {"sched_ext", ask_sched_ext,
     "the scheduler of real-time locks can be tried (furwock rt start); no other lock needs it",
     "no scheduler of real-time locks (furwock rt start); no other lock needs one", DOCTOR_EXTRA,
     NULL, NULL},
    {"POSIX drop-in", ask_drop_in, "furwock run puts programs on furwock's locks",
     "furwock run cannot work: the library is not beside this program",
     FW_COMMAND_HAS_DROP_IN ? DOCTOR_NEEDED : DOCTOR_EXTRA,
     "install furwock as a whole (make install), and move its directories together", NULL},
};
const size_t doctor_system_count = sizeof doctor_system / sizeof *doctor_system;
