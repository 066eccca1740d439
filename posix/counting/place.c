/* SPDX-License-Identifier: MIT */
/* Contract: place.h. */
#include "place.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/bits/atomic.h>

#include "sys/clock.h"
#include "sys/count_file.h"
#include "sys/environment.h"
#include "sys/fork.h"
#include "sys/origin.h"
#include "sys/say.h"

/* A process that becomes another program this often finds no free name any more. */
enum { NAMES = 1000 };

/* Code that no file has (a compiler at work) brings new addresses forever: copies, at most. */
enum { COPIES = 32 };

/* Parts of the memory that have code; where there are more, the rest counts as covered. */
enum { PARTS = 512 };

static char directory[PATH_MAX - 64]; /* empty: nothing is counted */
static char program[FW_STAT_NAME];
static struct fw_stat_file_ *made;     /* storage is not taken yet; NULL: not even that */
static struct fw_stat_file_ *the_file; /* NULL: none yet */
static uint32_t is_refused;            /* there can be none */

static struct {
    uint32_t busy;   /* a thread is at it */
    uint32_t missed; /* another would have been, too */
    unsigned copies;
    unsigned count;
    uint64_t begin[PARTS], end[PARTS];
} known;

static struct fw_stat_file_ *load(struct fw_stat_file_ *const *from)
{
    return (struct fw_stat_file_ *)(uintptr_t)fw_load64_acquire((const fw_word_ *)from);
}

static void write_head(struct fw_stat_file_ *f, unsigned number)
{
    struct fw_stat_head_ *h = &f->head;

    h->size = sizeof *f;
    h->number = number;
    h->process = fw_process_id_();
    h->began = fw_clock_ns_();
    memcpy(h->program, program, sizeof program);
    fw_store64_release(&h->magic, FW_STAT_MAGIC);
}

static void path_of(char path[static PATH_MAX], unsigned number, const char *end)
{
    snprintf(path, PATH_MAX, "%s/%u.%u%s", directory, fw_process_id_(), number, end);
}

/* 0 or an error. */
static int make_file(struct fw_stat_file_ **f)
{
    char path[PATH_MAX];
    void *base;
    int error = EEXIST;

    for (unsigned n = 0; error == EEXIST && n < NAMES; n++) {
        path_of(path, n, "");
        error = fw_count_file_make_(path, sizeof **f, &base);
        if (error == 0)
            write_head(*f = base, n);
    }
    return error;
}

static void remove_file(struct fw_stat_file_ *f)
{
    char path[PATH_MAX];

    path_of(path, f->head.number, "");
    fw_count_file_remove_(path, f, sizeof *f);
}

/* The threads of a forked child may come here at the same moment: one of their files is kept. */
static struct fw_stat_file_ *make_first(void)
{
    struct fw_stat_file_ *own = NULL;
    uint64_t first = 0;

    if (make_file(&own) != 0 || fw_cas64_acq_rel((fw_word_ *)&made, &first, (uintptr_t)own))
        return own;
    remove_file(own);
    return load(&made);
}

/*
 * Storage for all that is counted is taken when somebody waits, and not before: by each thread that
 * comes before it is there, since nobody waits for another (STAT1).
 */
static struct fw_stat_file_ *first_use(void)
{
    struct fw_stat_file_ *f = load(&made);

    if (f == NULL)
        f = make_first();
    if (f == NULL || fw_count_file_reserve_(f, offsetof(struct fw_stat_file_, check)) != 0) {
        fw_store32_relaxed(&is_refused, 1);
        return NULL;
    }
    fw_stat_copy_names_(f);
    fw_store64_release((fw_word_ *)&the_file, (uintptr_t)f);
    return f;
}

struct fw_stat_file_ *fw_stat_file_here_(void)
{
    struct fw_stat_file_ *f = load(&the_file);
    int saved_errno = errno;

    if (f != NULL || directory[0] == '\0' || fw_load32_relaxed(&is_refused) != 0)
        return f;
    f = first_use();
    errno = saved_errno;
    return f;
}

/* The parent's file stays mapped: the fork may have been made in the middle of a wait. */
static void forget_in_child(void)
{
    made = NULL;
    fw_store64_relaxed((fw_word_ *)&the_file, 0);
    known.busy = known.missed = 0;
    known.copies = known.count = 0;
    fw_store32_relaxed(&is_refused, 0);
}

/* --- Copies of the memory map ----------------------------------------------------------------- */

/* The beginning of a line of /proc/PID/maps, as far as it is needed. */
struct line {
    char text[48];
    unsigned length;
};

/* "begin-end rwxp ..." */
static void see_line(struct line *l)
{
    char *at;
    uint64_t begin, end;

    l->text[l->length] = '\0';
    begin = strtoull(l->text, &at, 16);
    if (*at != '-')
        return;
    end = strtoull(at + 1, &at, 16);
    if (strlen(at) < 4 || at[3] != 'x' || known.count == PARTS)
        return;
    known.begin[known.count] = begin;
    known.end[known.count++] = end;
}

static void see_piece(const char *bytes, size_t n, void *arg)
{
    struct line *l = arg;

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            see_line(l);
            l->length = 0;
        } else if (l->length < sizeof l->text - 1) {
            l->text[l->length++] = bytes[i];
        }
    }
}

static bool is_covered(uint64_t site)
{
    if (site == 0 || known.copies == COPIES || known.count == PARTS)
        return true;
    for (unsigned i = 0; i < known.count; i++)
        if (site >= known.begin[i] && site < known.end[i])
            return true;
    return false;
}

static void copy_maps(void)
{
    struct line line = {.length = 0};
    char path[PATH_MAX];

    path_of(path, load(&made)->head.number, ".maps");
    known.count = 0;
    known.copies++;
    fw_count_file_append_("/proc/self/maps", path, see_piece, &line);
}

/* Only one thread at a time; for who comes meanwhile, it makes one more copy. */
void fw_stat_cover_(uint64_t site, uint64_t other)
{
    if (fw_xchg32_release(&known.busy, 1) != 0) {
        fw_store32_release(&known.missed, 1);
        return;
    }
    fw_fence_acquire();
    if (!is_covered(site) || !is_covered(other))
        copy_maps();
    if (fw_xchg32_release(&known.missed, 0) != 0 && known.copies < COPIES)
        copy_maps();
    fw_store32_release(&known.busy, 0);
}

/* --- The beginning ---------------------------------------------------------------------------- */

static void remember_name(const char *word)
{
    const char *slash = strrchr(word, '/');

    strncpy(program, slash != NULL ? slash + 1 : word, sizeof program - 1);
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
    const char *value = fw_environment_(environment, "FURWOCK_STAT=");
    int error;

    remember_name(argc > 0 ? argv[0] : "");
    if (value == NULL || value[0] != '/' || strlen(value) >= sizeof directory)
        return;
    memcpy(directory, value, strlen(value) + 1);
    error = make_file(&made);
    if (error != 0) {
        if (error !=
            ENOENT) /* else furwock run has ended, with its program: nobody would read it */
            fw_say_("the figures of --stat cannot be written: this process is not counted");
        directory[0] = '\0';
        return;
    }
    copy_maps(); /* in case that it cannot be done later */
    known.count = known.copies = 0;
    fw_at_fork_(forget_in_child);
}
