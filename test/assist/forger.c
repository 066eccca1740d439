/* SPDX-License-Identifier: MIT */
#include "forger.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "sys/running.h"

static unsigned rung, n_cpus;

static void demand(bool is_so, const char *what)
{
    if (is_so)
        return;
    perror(what);
    abort();
}

/* Before there are threads. */
__attribute__((constructor)) static void count_cpus(void)
{
    n_cpus = (unsigned)get_nprocs_conf();
}

/*
 * The linker gives this name to what stands in for the library's function.  The kernel hears
 * nothing: the assist of a test that runs meanwhile would count this process as a participant.
 */
void __wrap_fw_running_ring_(uint32_t registration);

void __wrap_fw_running_ring_(uint32_t registration)
{
    (void)registration;
    __atomic_fetch_add(&rung, 1, __ATOMIC_RELAXED);
}

struct forged forge_page(void)
{
    struct forged f = {.fd = memfd_create("forged", MFD_CLOEXEC)};

    demand(f.fd >= 0, "memfd_create");
    demand(ftruncate(f.fd, sizeof *f.page) == 0, "ftruncate");
    f.page = mmap(NULL, sizeof *f.page, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
    demand(f.page != MAP_FAILED, "mmap");
    f.page->magic = FW_ASSIST_MAGIC;
    f.page->version = FW_ASSIST_VERSION;
    f.page->registration = FW_ASSIST_BY_RING;
    return f;
}

bool forge_use(const struct forged *f)
{
    int given = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);

    demand(given >= 0, "F_DUPFD_CLOEXEC");
    return fw_running_use_(given);
}

void forge_vanish(void)
{
    fw_running_use_(-1);
}

uint32_t forge_namespace(void)
{
    struct stat s;

    demand(stat("/proc/self/ns/pid", &s) == 0, "/proc/self/ns/pid");
    return (uint32_t)s.st_ino;
}

void forge_thread(const struct forged *f, uint32_t tid, uint64_t state, unsigned switches)
{
    static uint32_t here;
    uint32_t ns = __atomic_load_n(&here, __ATOMIC_RELAXED);

    if (ns == 0) {
        ns = forge_namespace();
        __atomic_store_n(&here, ns, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&f->page->threads[fw_assist_index(tid, ns)],
                     fw_assist_tag(tid, ns) | (switches * FW_ASSIST_SWITCH & 0xffff) | state,
                     __ATOMIC_RELAXED);
}

void forge_runnable(const struct forged *f, uint32_t n)
{
    for (unsigned i = 0; i < n_cpus && i < FW_ASSIST_CPUS; i++)
        __atomic_store_n(&f->page->cpus[i].runnable, n, __ATOMIC_RELAXED);
}

unsigned forge_rung(void)
{
    return __atomic_load_n(&rung, __ATOMIC_RELAXED);
}
