/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "src/sys/running_page.h"
#include "workers.h"

/* The value of the first line "KEY ... : VALUE" of /proc/cpuinfo; "" if there is none. */
static void cpuinfo(const char *key, char *value, size_t size)
{
    char line[4096];
    FILE *f = fopen("/proc/cpuinfo", "re");

    value[0] = '\0';
    while (f != NULL && value[0] == '\0' && fgets(line, sizeof line, f) != NULL) {
        char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += strspn(colon + 1, " \t") + 1;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(value, size, "%s", colon);
    }
    if (f != NULL)
        fclose(f);
}

static bool word_in(const char *word, const char *text)
{
    size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
        if ((at == text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

const char *machine_assist(void)
{
    if (access(FW_ASSIST_PIN, R_OK | W_OK) == 0) /* a frozen map is opened for both */
        return "on";
    return errno == EACCES ? "unknown" : "off";
}

void machine_describe(struct machine *m)
{
    struct utsname system;
    char flags[4096];
    time_t now = time(NULL);
    struct tm utc;

    memset(m, 0, sizeof *m);
    uname(&system);
    cpuinfo("model name", m->cpu, sizeof m->cpu);
    if (m->cpu[0] == '\0')
        snprintf(m->cpu, sizeof m->cpu, "%.60s", system.machine);
    m->cpus = cpus_usable();
    snprintf(m->kernel, sizeof m->kernel, "%.20s %.50s %.20s", system.sysname, system.release,
             system.machine);
#ifdef __GLIBC__
    snprintf(m->libc, sizeof m->libc, "glibc %s", gnu_get_libc_version());
#else
    snprintf(m->libc, sizeof m->libc, "unknown");
#endif
#ifdef __clang__
    snprintf(m->compiler, sizeof m->compiler, "%s", __VERSION__);
#else
    snprintf(m->compiler, sizeof m->compiler, "gcc %s", __VERSION__);
#endif
    cpuinfo("flags", flags, sizeof flags);
    m->virtual_ = word_in("hypervisor", flags);
    gmtime_r(&now, &utc);
    snprintf(m->assist, sizeof m->assist, "%s", machine_assist());
    strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
