/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/kernel.h>

#include "command/command.h"
#include "sys/kernel_module.h"

#define SYSFS "/sys/module/furwock/"

extern char **environ;

/* --- What there is ---------------------------------------------------------------------------- */

static uint64_t number_in(const char *path)
{
    char line[32], *end;
    uint64_t n;

    if (!command_first_line(path, line, sizeof line))
        return KERNEL_NO_NUMBER;
    errno = 0;
    n = strtoull(line, &end, 10);
    return errno == 0 && end != line && *end == '\0' ? n : KERNEL_NO_NUMBER;
}

int kernel_try_device(void)
{
    int fd = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

void kernel_look(struct kernel_module *m)
{
    char state[32] = "";

    *m = (struct kernel_module){.users = KERNEL_NO_NUMBER};
    command_first_line(SYSFS "initstate", state, sizeof state);
    m->is_loaded = strcmp(state, "live") == 0;
    m->is_coming = !m->is_loaded && state[0] != '\0';
    if (!m->is_loaded)
        return;
    m->users = number_in(SYSFS "refcnt"); /* before this process is one */
    m->max_objects = number_in(SYSFS "parameters/max_objects");
    m->max_spinners = number_in(SYSFS "parameters/max_spinners");
    m->spin_turns = number_in(SYSFS "parameters/spin_turns");
    m->may_not_use = kernel_try_device();
}

/* --- Loading and unloading -------------------------------------------------------------------- */

/* What modprobe says goes where it belongs: it names the directory that it has searched. */
static int load_installed(const char *options)
{
    char program[] = "modprobe", name[] = "furwock", words[64];
    char *argv[] = {program, name, options[0] != '\0' ? words : NULL, NULL};
    int status, error;
    pid_t child;

    snprintf(words, sizeof words, "%s", options);
    error = posix_spawnp(&child, program, NULL, NULL, argv, environ);
    if (error == ENOENT) /* it is not on the path of every user */
        error = posix_spawn(&child, "/sbin/modprobe", NULL, NULL, argv, environ);
    if (error != 0)
        return error == ENOENT ? ENOPKG : error;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ENOPKG;
}

static int load_file(const char *file, const char *options)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    int error;

    if (fd < 0)
        return errno;
    error = fw_kernel_module_load_(fd, options);
    close(fd);
    return error;
}

int kernel_load(const char *file, const char *options)
{
    struct kernel_module now;

    kernel_look(&now);
    if (now.is_loaded)
        return EEXIST;
    return file != NULL ? load_file(file, options) : load_installed(options);
}

int kernel_unload(void)
{
    struct kernel_module now;
    int error;

    kernel_look(&now);
    if (!now.is_loaded && !now.is_coming)
        return ENOENT; /* also of a kernel without modules */
    error = fw_kernel_module_unload_("furwock");
    return error == EWOULDBLOCK ? EBUSY : error;
}
