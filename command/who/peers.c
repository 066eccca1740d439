/* SPDX-License-Identifier: MIT */
/*
 * Processes that share memory with those that are looked at: contract in who.h.  The owner of a
 * process-shared lock is in one of them.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "who.h"

/* Does a process map that file, or that piece of anonymous shared memory?  Its maps are open. */
static bool maps(FILE *in, const struct who_key *key)
{
    char *line = NULL;
    size_t size = 0;
    bool is_found = false;

    while (!is_found && getline(&line, &size, in) > 0) {
        char flags[8];
        unsigned major, minor;
        uint64_t inode;
        is_found = sscanf(line, "%*s %7s %*s %x:%x %" SCNu64, flags, &major, &minor, &inode) == 4 &&
                   flags[3] == 's' && inode == key->inode && makedev(major, minor) == key->device;
    }
    free(line);
    return is_found;
}

static bool is_known(const struct who *w, pid_t pid)
{
    for (size_t i = 0; i < w->target_count; i++)
        if (w->targets[i]->pid == pid)
            return true;
    return false;
}

/* Adds all that map it; true, if there are any that were not known. */
static bool add_mappers(struct who *w, const struct who_key *key)
{
    DIR *dir = opendir("/proc");
    const struct dirent *e;
    bool is_added = false;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        char path[sizeof "/proc//maps" + 255], why[256];
        pid_t pid = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? atoi(e->d_name) : 0;
        FILE *in;
        bool is_one;

        if (pid == 0 || is_known(w, pid))
            continue;
        snprintf(path, sizeof path, "/proc/%s/maps", e->d_name);
        in = fopen(path, "re");
        is_one = in != NULL && maps(in, key);
        if (in != NULL)
            fclose(in);
        if (is_one && who_add(w, pid, why, sizeof why))
            is_added = true;
        else if (is_one)
            who_note(w, "process %d shares memory with these: %s", (int)pid, why);
    }
    if (dir != NULL)
        closedir(dir);
    return is_added;
}

/* Its owner is none of the threads that are known. */
static bool is_open(const struct who_wait *wait)
{
    if (!wait->is_waiting || !wait->key.is_shared || wait->what.owner == 0)
        return false;
    return wait->holder_count == 0 || wait->holders[0].thread == WHO_NOBODY;
}

bool who_add_peers(struct who *w)
{
    bool is_added = false;

    for (size_t i = 0; i < w->thread_count; i++)
        if (is_open(&w->threads[i].wait) && w->threads[i].target->core == NULL)
            is_added |= add_mappers(w, &w->threads[i].wait.key);
    return is_added;
}
