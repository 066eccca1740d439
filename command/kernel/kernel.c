/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <furwock/kernel.h>

#include "command/command.h"
#include "command/print/print.h"

struct wanted {
    const char *action; /* NULL: none yet */
    const char *file;   /* NULL: the installed one */
    bool for_anybody;
    bool as_json;
};

/* --- What there is ---------------------------------------------------------------------------- */

static const char *state_of(const struct kernel_module *m)
{
    if (m->is_coming)
        return "coming or going";
    return m->is_loaded ? "loaded" : "not loaded";
}

static json_t *number(uint64_t n)
{
    return n == KERNEL_NO_NUMBER ? json_null() : json_integer((json_int_t)n);
}

static void print_module(const struct printer *p, const struct kernel_module *m)
{
    const char *why = strerror(m->may_not_use);

    print_member(p, "device", json_string(FW_KERNEL_DEVICE));
    print_member(p, "usable", json_boolean(m->may_not_use == 0));
    print_member(p, "reason", m->may_not_use == 0 ? json_null() : json_string(why));
    print_member(p, "users", number(m->users));
    print_member(p, "max_objects", number(m->max_objects));
    print_member(p, "max_spinners", number(m->max_spinners));
    print_member(p, "spin_turns", number(m->spin_turns));
    if (m->may_not_use == 0)
        print_words(p, "  device     %s\n", FW_KERNEL_DEVICE);
    else
        print_words(p, "  device     not for this user: %s: %s\n", FW_KERNEL_DEVICE, why);
    if (m->users != KERNEL_NO_NUMBER)
        print_words(p, "  in use     by %" PRIu64 " open descriptors and calls\n", m->users);
    if (m->max_objects != KERNEL_NO_NUMBER)
        print_words(p, "  each user  %" PRIu64 " asynchronous waits and semaphores at most\n",
                    m->max_objects);
    if (m->max_spinners != KERNEL_NO_NUMBER && m->spin_turns != KERNEL_NO_NUMBER)
        print_words(p, "  spinning   %" PRIu64 " threads a lock, %" PRIu64 " looks (FUTEX_LOCK)\n",
                    m->max_spinners, m->spin_turns);
}

/* `result`: what was done before, or NULL. */
static int show(const struct wanted *w, const char *result)
{
    struct kernel_module m;
    struct printer p;

    kernel_look(&m);
    p = print_begin(w->as_json, "furwock-kernel-1");
    print_member(&p, "state", json_string(state_of(&m)));
    if (result != NULL)
        print_member(&p, "result", json_string(result));
    print_words(&p, "%s\n", result != NULL ? result : state_of(&m));
    if (m.is_loaded)
        print_module(&p, &m);
    print_end(&p);
    return m.is_loaded ? EXIT_SUCCESS : KERNEL_NOT_LOADED;
}

static int status(const struct wanted *w)
{
    return show(w, NULL);
}

/* --- Loading and unloading -------------------------------------------------------------------- */

static const char *reason(int error)
{
    switch (error) {
    case EPERM:
        return "only root may (CAP_SYS_MODULE), and no kernel that is locked down lets anybody";
    case ENOSYS:
    case EOPNOTSUPP:
        return "this kernel has no modules";
    case ENOEXEC:
        return "it was built for another kernel: build it for this one with make kmod";
    case EKEYREJECTED:
    case ENOKEY:
    case EBADMSG:
        return "this kernel takes signed modules only, and does not know who signed this one";
    case ENOENT: /* of a file that could be opened */
        return "this kernel lacks something that it uses: dmesg says what";
    default:
        return strerror(error);
    }
}

static int load(const struct wanted *w)
{
    int error = kernel_load(w->file, w->for_anybody ? "mode=0666" : "");
    struct utsname here = {.release = ""};

    if (error == 0 || error == EEXIST) {
        show(w, error == 0 ? "loaded" : "was loaded already");
        return EXIT_SUCCESS;
    }
    uname(&here);
    if (w->file == NULL && error == ENOPKG)
        command_die(COMMAND_FAILED,
                    "no module furwock can be had for this kernel, %s: build it with make kmod, "
                    "then furwock kernel load FILE",
                    here.release);
    if (w->file == NULL)
        command_die(COMMAND_FAILED, "modprobe cannot be run: %s", strerror(error));
    if (access(w->file, R_OK) != 0)
        command_die(COMMAND_FAILED, "%s: %s", w->file, strerror(errno));
    command_die(COMMAND_FAILED, "%s: %s", w->file, reason(error));
}

static int unload(const struct wanted *w)
{
    int error = kernel_unload();
    struct kernel_module m;

    if (error == 0 || error == ENOENT) {
        show(w, error == 0 ? "unloaded" : "was not loaded");
        return EXIT_SUCCESS;
    }
    kernel_look(&m);
    if (error == EBUSY && m.users != KERNEL_NO_NUMBER)
        command_die(COMMAND_FAILED,
                    "it is in use, by %" PRIu64 " open descriptors and calls: close them first",
                    m.users);
    command_die(COMMAND_FAILED, "%s", error == EBUSY ? "it is in use" : reason(error));
}

/* --- The command line ------------------------------------------------------------------------- */

static const char *const actions[] = {"load", "unload", "status", NULL};
static int (*const calls[])(const struct wanted *w) = {load, unload, status};

enum { KEY_ANYBODY = 0x100 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct wanted *w = state->input;

    switch (key) {
    case KEY_ANYBODY:
        w->for_anybody = true;
        return 0;
    case 'j':
        w->as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (w->action == NULL)
            w->action = arg;
        else if (w->file == NULL && strcmp(w->action, "load") == 0)
            w->file = arg;
        else
            command_die(COMMAND_USAGE, "\"%s\" after \"%s\": one thing at a time", arg,
                        w->file != NULL ? w->file : w->action);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"anybody", KEY_ANYBODY, NULL, 0, "load: let all users use it, not only root", 0},
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "load [FILE]|unload|status",
    .doc = "Load and unload the kernel module with the papers' services.\v"
           "load takes the module from the file, or the one that is installed for the running "
           "kernel; make kmod builds it.  It offers its calls at /dev/furwock (furwock/kernel.h).  "
           "No lock of the library needs it: it is there to study and to measure what Linux did "
           "not keep.  unload takes it out, unless it is in use.  status says whether it is "
           "loaded, and what it permits.\n\n"
           "Only root may load and unload it, and use it, unless --anybody was given.\n\n"
           "Exit status of load and unload: 0 on success, also if there was nothing to do; 1 if "
           "that is not possible; 2 for a usage error.  Of status: 0 if it is loaded, 3 if not.",
};

static int run(int argc, char **argv)
{
    struct wanted w = {.action = NULL};
    int (*call)(const struct wanted *w);

    argp_parse(&command_line, argc, argv, 0, NULL, &w);
    call = calls[command_action(actions, w.action)];
    if (call != load && w.for_anybody)
        command_die(COMMAND_USAGE, "--anybody goes with load only");
    return call(&w);
}

const struct command command_kernel = {
    .name = "kernel",
    .about = "load, unload and look at the module with the papers' kernel services",
    .run = run,
};
