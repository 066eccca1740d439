/* SPDX-License-Identifier: MIT */
/* Will the loader put the library before the C library, and is that one fit for it? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "command/command.h"
#include "elf_file.h"
#include "run.h"

enum {
    SCRIPTS_MOST = 4,      /* interpreters that are scripts themselves: the kernel's limit */
    FIRST_LINE_BYTES = 256 /* the kernel looks at no more: BINPRM_BUF_SIZE */
};

/* The loaders of glibc, on all machines; others are called ld-musl-*, linker64, ld-uClibc*. */
static const char *const glibc_loaders[] = {"ld-linux", "ld64.so", "ld.so"};

struct check {
    const char *program; /* as messages name it */
    enum run_library which;
    const struct run_elf *library;
    char *runtime;
};

/* --- Rights ----------------------------------------------------------------------------------- */

/* The loader ignores the environment of who gets more rights by executing the file. */
static bool gets_rights(const char *path)
{
    struct stat s;
    struct statvfs v;

    if (getuid() != geteuid() || getgid() != getegid())
        return true;
    if (stat(path, &s) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
        (statvfs(path, &v) == 0 && (v.f_flag & ST_NOSUID) != 0))
        return false;
    if ((s.st_mode & S_ISUID) != 0 && s.st_uid != getuid())
        return true;
    if ((s.st_mode & S_ISGID) != 0 && (s.st_mode & S_IXGRP) != 0 && s.st_gid != getgid())
        return true;
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* --- The executable --------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool is_glibc_loader(const char *loader)
{
    const char *name = last_part(loader);

    for (size_t i = 0; i < sizeof glibc_loaders / sizeof *glibc_loaders; i++)
        if (strncmp(name, glibc_loaders[i], strlen(glibc_loaders[i])) == 0)
            return true;
    return false;
}

/* The C library lies beside its loader. */
static void check_c_library(const struct check *c, const char *loader)
{
    char folder[PATH_MAX], path[PATH_MAX + sizeof "/libc.so.6"];
    struct run_elf libc;
    const char *missing;

    if (realpath(loader, folder) == NULL)
        return; /* the kernel will say that it is not there */
    *strrchr(folder, '/') = '\0';
    snprintf(path, sizeof path, "%s/libc.so.6", folder);
    if (run_elf_open(&libc, path) != 0 || libc.head == NULL)
        return;
    missing = run_elf_lacks(c->library, "libc.so.6", &libc);
    if (missing != NULL)
        command_die(RUN_CANNOT, "%s: its C library, %s, is too old: it has no %s", c->program, path,
                    missing);
    run_elf_close(&libc);
}

/* The runtime of gcc's and clang's sanitizers wants to be the first library of all. */
static void find_runtime(const struct check *c, const struct run_elf *e)
{
    static const char *const runtimes[] = {"libasan.so", "libclang_rt.asan", "libtsan.so",
                                           "libclang_rt.tsan"};

    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes && c->runtime[0] == '\0'; i++) {
        const char *name = run_elf_needs(e, runtimes[i]);
        if (name != NULL && strlen(name) < NAME_MAX && strpbrk(name, " :") == NULL)
            strcpy(c->runtime, name);
    }
}

/*
 * Linked into the program, ThreadSanitizer has its own strncpy, clock_gettime and others in place
 * of the C library's, which are not ready when the library that counts begins.
 */
static void check_runtime(const struct check *c, const struct run_elf *e)
{
    find_runtime(c, e);
    if (c->which != RUN_QUIET && run_elf_has(e, "clock_gettime") &&
        run_elf_has(e, "pthread_rwlock_rdlock"))
        command_die(RUN_CANNOT,
                    "%s: ThreadSanitizer seems to be linked into it, with a clock_gettime of its "
                    "own; --stat and --check need it as a library",
                    c->program);
}

/* Started by hand, with the program as an argument, the loader itself has none. */
static bool is_a_loader(const char *path)
{
    char real[PATH_MAX];

    return realpath(path, real) != NULL && is_glibc_loader(real);
}

static void check_elf(const struct check *c, const char *path, const struct run_elf *e)
{
    const char *loader = run_elf_loader(e);

    if (e->head == NULL || e->head->e_machine != c->library->head->e_machine)
        command_die(RUN_CANNOT, "%s: it is made for another kind of machine than the library%s",
                    c->program, e->bytes[EI_CLASS] == ELFCLASS32 ? ": 32 bits" : "");
    if (loader == NULL && is_a_loader(path))
        return;
    if (loader == NULL)
        command_die(RUN_CANNOT, "%s: it is linked statically: no library can be put before it",
                    c->program);
    if (!is_glibc_loader(loader))
        command_die(RUN_CANNOT, "%s: it uses another C library than glibc: its loader is %s",
                    c->program, loader);
    check_c_library(c, loader);
    check_runtime(c, e);
}

/* --- Scripts ---------------------------------------------------------------------------------- */

/* What a first line "#! interpreter argument" says; false: it does not say so. */
static bool read_first_line(const struct run_elf *e, char line[FIRST_LINE_BYTES], char **argument)
{
    size_t length = e->size < FIRST_LINE_BYTES ? e->size : FIRST_LINE_BYTES - 1;
    char *word, *end;

    if (length < 3 || memcmp(e->bytes, "#!", 2) != 0)
        return false;
    memcpy(line, e->bytes, length);
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    word = line + 2 + strspn(line + 2, " \t");
    end = word + strcspn(word, " \t");
    *argument = end + strspn(end, " \t");
    *end = '\0';
    memmove(line, word, (size_t)(end - word) + 1);
    return line[0] != '\0';
}

/* "#!/usr/bin/env python3": who interprets it is found in PATH. */
static bool is_by_env(const char *interpreter, const char *argument)
{
    return strcmp(last_part(interpreter), "env") == 0 && argument[0] != '\0' &&
           strpbrk(argument, " \t=") == NULL && argument[0] != '-';
}

static void check_file(struct check *c, const char *path, int depth);

static void check_interpreter(struct check *c, const char *interpreter, int depth)
{
    char name[2 * PATH_MAX];
    struct check of = *c;

    snprintf(name, sizeof name, "%s: its interpreter %s", c->program, interpreter);
    of.program = depth == 0 ? name : c->program;
    check_file(&of, interpreter, depth + 1);
}

static void check_script(struct check *c, const struct run_elf *e, int depth)
{
    char line[FIRST_LINE_BYTES], path[PATH_MAX], *argument;

    if (!read_first_line(e, line, &argument) || depth > SCRIPTS_MOST)
        return;
    check_interpreter(c, line, depth);
    if (is_by_env(line, argument) && run_search(argument, path) == 0)
        check_interpreter(c, path, depth);
}

/* What cannot be read is run unchecked: permission to run a file does not imply to read it. */
static void check_file(struct check *c, const char *path, int depth)
{
    struct run_elf e;

    if (run_elf_open(&e, path) != 0)
        return;
    if (run_elf_is_elf(&e)) {
        if (gets_rights(path))
            command_die(RUN_CANNOT,
                        "%s: it gets rights by setuid, setgid or capabilities: the loader puts "
                        "no library before such a program",
                        c->program);
        check_elf(c, path, &e);
    } else {
        check_script(c, &e, depth);
    }
    run_elf_close(&e);
}

/* --- Tools that do not know the library ------------------------------------------------------- */

/* These look for the C library's functions by name, and would see no lock at all. */
static void check_tool(const char *program, char *const argv[])
{
    static const char *const blind[] = {"--tool=helgrind", "--tool=drd"};

    if (strncmp(last_part(program), "valgrind", strlen("valgrind")) != 0)
        return;
    for (int i = 1; argv[i] != NULL && argv[i][0] == '-'; i++)
        for (size_t k = 0; k < sizeof blind / sizeof *blind; k++)
            if (strcmp(argv[i], blind[k]) == 0)
                command_die(RUN_CANNOT,
                            "%s %s knows the C library's locks only, and would report races "
                            "that are none: run it without furwock",
                            last_part(program), argv[i]);
}

void run_check(const char *program, char *const argv[], enum run_library which, const char *library,
               char runtime[NAME_MAX])
{
    struct run_elf own;
    struct check c = {.program = argv[0], .which = which, .library = &own, .runtime = runtime};

    runtime[0] = '\0';
    if (run_elf_open(&own, library) != 0 || own.head == NULL)
        command_die(RUN_FAILED, "%s: no library for this machine", library);
    check_tool(program, argv);
    check_file(&c, program, 0);
    run_elf_close(&own);
}
