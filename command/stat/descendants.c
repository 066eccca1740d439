/* SPDX-License-Identifier: MIT */
/* Contract: descendants.h.  Parents are read from /proc. */
#include "descendants.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct process {
    pid_t id, parent;
    bool has_ended;
    bool descends;
};

struct processes {
    struct process *all;
    unsigned count;
};

/* "12 (name) S 1 ...": the state is behind the name, which ends with the last ')'. */
static bool read_process(const char *id, struct process *p)
{
    char path[sizeof "/proc//stat" + 255], text[512] = "", state;
    const char *behind;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%s/stat", id);
    in = fopen(path, "re");
    if (in == NULL)
        return false;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    behind = strrchr(text, ')');
    *p = (struct process){.id = atoi(id)};
    if (behind == NULL || sscanf(behind, ") %c %d", &state, &p->parent) != 2)
        return false;
    p->has_ended = state == 'Z' || state == 'X';
    return true;
}

static struct processes read_all(void)
{
    struct processes found = {NULL, 0};
    DIR *dir = opendir("/proc");
    const struct dirent *e;
    struct process p;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        if (e->d_name[0] < '1' || e->d_name[0] > '9' || !read_process(e->d_name, &p))
            continue;
        found.all = realloc(found.all, (found.count + 1) * sizeof *found.all);
        if (found.all == NULL)
            abort();
        found.all[found.count++] = p;
    }
    if (dir != NULL)
        closedir(dir);
    return found;
}

static bool is_among(const struct run_children *c, pid_t id)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->id[i] == id)
            return true;
    return false;
}

/* The children of this process. */
static bool descends(const struct processes *found, const struct process *p)
{
    if (p->parent == getpid())
        return true;
    for (unsigned i = 0; i < found->count; i++)
        if (found->all[i].id == p->parent)
            return found->all[i].descends;
    return false;
}

void run_adopt(struct run_children *before)
{
    struct processes found = read_all();

    before->count = 0;
    for (unsigned i = 0; i < found.count && before->count < RUN_CHILDREN; i++)
        if (found.all[i].parent == getpid())
            before->id[before->count++] = found.all[i].id;
    free(found.all);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* cannot fail: Linux 3.4 */
}

unsigned run_descendants(const struct run_children *before)
{
    struct processes found = read_all();
    unsigned n = 0;
    bool is_new;

    do {
        is_new = false;
        for (unsigned i = 0; i < found.count; i++) {
            struct process *p = &found.all[i];

            if (p->descends || is_among(before, p->id) || !descends(&found, p))
                continue;
            p->descends = is_new = true;
            n += !p->has_ended;
        }
    } while (is_new);
    free(found.all);
    return n;
}
