/* SPDX-License-Identifier: MIT */
/*
 * furwock kernel load, status and unload, in a virtual machine where the module can be loaded: what
 * they answer, with which status, and what becomes of the device.
 *
 *     kmod_command FURWOCK MODULE.ko
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <furwock/kernel.h>

#include "tap.h"
#include "test/support/run_program.h"

enum { MOST_SAID = 1 << 14, ADA = 4242, GOOD = 0, FAILED = 1, NOT_LOADED = 3 };

static const char *program, *module;
static char said[MOST_SAID];

/* furwock kernel and the line: the status, and words that have to stand in what is said. */
static void expect(uid_t user, const char *line, int status, const char *text)
{
    char whole[200];
    int is;

    snprintf(whole, sizeof whole, "kernel %s", line);
    is = run_line(user, program, whole, said, sizeof said);
    if (is != status || strstr(said, text) == NULL)
        printf("# furwock kernel %s: %d, not %d; or no \"%s\" in: %s", line, is, status, text,
               said);
    CHECK(is == status && strstr(said, text) != NULL);
}

static void load(const char *options)
{
    char line[200];

    snprintf(line, sizeof line, "load %s%s", module, options);
    expect(0, line, GOOD, "loaded\n");
}

CASE(nothing_to_do)
{
    expect(0, "status", NOT_LOADED, "not loaded");
    expect(0, "status --json", NOT_LOADED, "\"state\": \"not loaded\"");
    expect(0, "unload", GOOD, "was not loaded");
    load("");
    expect(0, "load", GOOD, "was loaded already");
    expect(0, "status", GOOD, "loaded\n  device     /dev/furwock\n");
    expect(0, "status --json", GOOD, "\"users\": 0");
    expect(0, "unload", GOOD, "unloaded");
    expect(0, "status", NOT_LOADED, "not loaded");
}

CASE(in_use)
{
    int fd;

    load("");
    fd = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    expect(0, "status", GOOD, "by 1 open");
    expect(0, "unload", FAILED, "in use, by 1 open");
    close(fd);
    expect(0, "unload", GOOD, "unloaded");
    CHECK(access(FW_KERNEL_DEVICE, F_OK) != 0);
}

CASE(other_users)
{
    char line[200];

    snprintf(line, sizeof line, "load %s", module);
    expect(ADA, line, FAILED, "only root may");
    load("");
    expect(ADA, "status", GOOD, "not for this user: /dev/furwock: Permission denied");
    expect(ADA, "unload", FAILED, "only root may");
    expect(0, "unload", GOOD, "unloaded");
    load(" --anybody");
    expect(ADA, "status --json", GOOD, "\"usable\": true");
    expect(0, "unload", GOOD, "unloaded");
}

CASE(no_module)
{
    char line[200];

    expect(0, "load /nonexistent.ko", FAILED, "/nonexistent.ko: No such file");
    snprintf(line, sizeof line, "load %s", program);
    expect(0, line, FAILED, "built for another kernel");
    expect(0, "load", FAILED, "build it with make kmod"); /* there is no modprobe */
}

static void begin(void) {}

int main(int argc, char **argv)
{
    if (argc < 3 || access(argv[1], X_OK) != 0 || access(argv[2], R_OK) != 0) {
        printf("1..0 # SKIP needs the program furwock and the module: make test-kmod\n");
        return 77;
    }
    program = argv[1];
    module = argv[2];
    if (access(FW_KERNEL_DEVICE, F_OK) == 0) {
        printf("1..0 # SKIP the module is loaded: furwock kernel unload\n");
        return 77;
    }
    return tap_run("", begin);
}
