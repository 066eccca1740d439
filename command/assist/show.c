/* SPDX-License-Identifier: MIT */
#include "assist.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/print.h"
#include "sys/running_page.h"

const char *assist_registration_name(uint32_t registration)
{
    return registration == FW_ASSIST_ALL       ? "all"
           : registration == FW_ASSIST_BY_RING ? "prctl"
                                               : "wait";
}

const char *assist_readers_name(fw_assist_readers readers)
{
    return readers == FW_ASSIST_READ_BY_ANYBODY ? "anybody"
           : readers == FW_ASSIST_READ_BY_GROUP ? "group"
                                                : "root";
}

/* Its name, or its number where it has none. */
static void group_name(gid_t group, char *text, size_t size)
{
    const struct group *g = getgrgid(group);

    if (g != NULL)
        snprintf(text, size, "%s", g->gr_name);
    else
        snprintf(text, size, "%u", (unsigned)group);
}

void assist_readers_text(fw_assist_readers readers, gid_t group, char text[ASSIST_READERS])
{
    char name[ASSIST_READERS - sizeof "root and group "];

    if (readers != FW_ASSIST_READ_BY_GROUP) {
        snprintf(text, ASSIST_READERS, "%s", assist_readers_name(readers));
        return;
    }
    group_name(group, name, sizeof name);
    snprintf(text, ASSIST_READERS, "root and group %s", name);
}

static bool is_group_number(const char *word, gid_t *group)
{
    unsigned long number;
    char *end;

    errno = 0;
    number = strtoul(word, &end, 10);
    *group = (gid_t)number;
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0 && number == *group &&
           *group != (gid_t)-1; /* which means "as it is" */
}

gid_t assist_find_group(const char *word)
{
    const struct group *g;
    gid_t group;

    errno = 0;
    g = getgrnam(word);
    if (g != NULL)
        return g->gr_gid;
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO)
        command_die(COMMAND_FAILED, "--group: %s: %s", word, strerror(errno));
    if (!is_group_number(word, &group))
        command_die(COMMAND_USAGE, "--group: there is no group \"%s\"", word);
    return group;
}

/* --- What there is ---------------------------------------------------------------------------- */

struct shown {
    const char *state; /* "running", "not running", "other version", "unknown" */
    int exit_status;
    bool is_readable; /* by the caller: all of `now` is known */
    struct fw_assist_status now;
    char why[ASSIST_LINE]; /* it is not known, or not readable */
};

static void look(struct shown *s)
{
    fw_bpf_result result = fw_assist_status(&s->now, s->why, sizeof s->why);
    bool is_done = result == FW_BPF_DONE, is_shut = result == FW_BPF_NOT_PERMITTED;

    s->exit_status = EXIT_SUCCESS;
    if (result == FW_BPF_NOT_SUPPORTED || (is_done && !s->now.running)) {
        s->state = "not running";
        s->exit_status = ASSIST_RUNS_NOT;
    } else if (!s->now.running || !(is_done || is_shut)) {
        s->state = "unknown";
        s->exit_status = ASSIST_UNKNOWN;
    } else {
        bool is_ours = is_shut || s->now.version == FW_ASSIST_VERSION;
        s->state = is_ours ? "running" : "other version";
        s->is_readable = is_done && is_ours;
    }
}

static void print_readers(const struct printer *p, const struct shown *s)
{
    bool is_group = s->now.readers == FW_ASSIST_READ_BY_GROUP;
    char readers[ASSIST_READERS], name[ASSIST_READERS] = "";

    if (is_group)
        group_name(s->now.group, name, sizeof name);
    print_member(p, "readers", json_string(assist_readers_name(s->now.readers)));
    print_member(p, "group", is_group ? json_string(name) : json_null());
    assist_readers_text(s->now.readers, s->now.group, readers);
    print_words(p, "  readers   %s%s\n", readers,
                strcmp(s->state, "running") == 0 && !s->is_readable ? "; not this user" : "");
}

static void print_participants(const struct printer *p, const struct fw_assist_status *now)
{
    const char *registration = assist_registration_name(now->registration);

    print_member(p, "registration", json_string(registration));
    print_member(p, "participants", json_integer(now->participants));
    print_member(p, "switches", json_integer((json_int_t)now->switches));
    print_member(p, "runs", json_integer((json_int_t)now->run_count));
    print_member(p, "run_ns", json_integer((json_int_t)now->run_ns));
    if (now->registration == FW_ASSIST_ALL)
        print_words(p, "  participants   every process\n");
    else
        print_words(p, "  participants   %" PRIu32 " process%s by its own call of %s\n",
                    now->participants, now->participants == 1 ? "" : "es, each", registration);
    print_words(p, "  switches  %" PRIu64 " to participants' threads\n", now->switches);
    if (now->run_count != 0)
        print_words(p, "  cost      %.0f ns in each of %" PRIu64 " switches\n",
                    (double)now->run_ns / (double)now->run_count, now->run_count);
}

/* The first line, or the members that are always there. */
static void print_state(const struct printer *p, const struct shown *s, const char *result)
{
    print_member(p, "state", json_string(s->state));
    if (result != NULL)
        print_member(p, "result", json_string(result));
    print_member(p, "readable", json_boolean(s->is_readable));
    if (s->now.running && s->now.version != 0)
        print_member(p, "version", json_integer(s->now.version));
    if (!s->is_readable && s->why[0] != '\0')
        print_member(p, "reason", json_string(s->why));
    if (result != NULL)
        print_words(p, "%s\n", result);
    else if (s->exit_status != EXIT_SUCCESS)
        print_words(p, "%s: %s\n", s->state, s->why);
    else if (strcmp(s->state, "other version") == 0)
        print_words(p, "running, version %" PRIu32 ": this program understands version %u only\n",
                    s->now.version, FW_ASSIST_VERSION);
    else
        print_words(p, "%s\n", s->state);
}

int assist_show(bool as_json, const char *result)
{
    struct shown s = {.now = {.running = false}};
    struct printer p;

    look(&s);
    p = print_begin(as_json, "furwock-assist-1");
    print_state(&p, &s, result);
    if (s.now.running)
        print_readers(&p, &s);
    if (s.is_readable)
        print_participants(&p, &s.now);
    print_end(&p);
    return s.exit_status;
}
