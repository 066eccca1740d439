/* SPDX-License-Identifier: MIT */
/* The mappings of a process: contract in target.h. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target.h"

/* "begin-end rwxp offset major:minor inode   path"; the line's end is a zero already. */
static bool read_line(char *line, struct target_map *m)
{
    char flags[8];
    unsigned major, minor;
    int path = 0;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->begin,
               &m->end, flags, &m->offset, &major, &minor, &m->inode, &path) < 7)
        return false;
    m->is_shared = flags[3] == 's';
    m->is_code = flags[2] == 'x';
    m->device = makedev(major, minor);
    m->path = path != 0 ? line + path : "";
    return true;
}

/* The machine of the first file that is a program or a library; 32 bits: EM_386. */
static void find_machine(struct target *t)
{
    for (size_t i = 0; i < t->map_count && t->machine == 0; i++) {
        Elf64_Ehdr head;
        if (t->maps[i].path[0] != '/' || t->maps[i].offset != 0 ||
            !target_read(t, t->maps[i].begin, &head, sizeof head) ||
            memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
            continue;
        t->machine = head.e_ident[EI_CLASS] == ELFCLASS64 ? head.e_machine : EM_386;
    }
}

/* Go's linker leaves a note with its name in each program. */
static bool is_go(const struct target *t)
{
    enum { PARTS_MAX = 32, NOTE_MAX = 256 };
    Elf64_Ehdr head;
    Elf64_Phdr parts[PARTS_MAX];
    char note[NOTE_MAX];

    if (t->map_count == 0 || t->machine == EM_386 ||
        !target_read(t, t->maps[0].begin, &head, sizeof head) || head.e_phnum > PARTS_MAX ||
        !target_read(t, t->maps[0].begin + head.e_phoff, parts, head.e_phnum * sizeof *parts))
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        uint64_t at = parts[i].p_vaddr + (head.e_type == ET_DYN ? t->maps[0].begin : 0);
        size_t size = parts[i].p_filesz < NOTE_MAX ? parts[i].p_filesz : NOTE_MAX;
        if (parts[i].p_type == PT_NOTE && size >= 16 && target_read(t, at, note, size) &&
            memcmp(note + 12, "Go\0", 4) == 0)
            return true;
    }
    return false;
}

/* The last part of a path begins so. */
static bool is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && strncmp(slash + 1, name, strlen(name)) == 0;
}

static void conclude(struct target *t)
{
    for (size_t i = 0; i < t->map_count; i++) {
        const char *path = t->maps[i].path;
        if (is_named(path, "ld-musl-") || strstr(path, "linux-musl/libc.so") != NULL)
            t->libc = TARGET_MUSL;
        else if (is_named(path, "libfurwock-pthread"))
            t->has_drop_in = true;
        else if (is_named(path, "libjvm.so"))
            t->runtime = "Java";
    }
    if (t->runtime == NULL && is_go(t))
        t->runtime = "Go";
}

/* For who reads a file with such lines. */
static struct locations *open_locations(const struct target *t)
{
    int fd = memfd_create("maps", MFD_CLOEXEC);
    size_t size = strlen(t->maps_text);
    struct locations *found;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, t->maps_text, size) != (ssize_t)size)
        snprintf(path, sizeof path, "/dev/null");
    found = t->core != NULL ? locations_open(path) : locations_open_of(path, t->pid);
    if (fd >= 0)
        close(fd);
    return found;
}

void target_read_maps(struct target *t)
{
    char *line = t->maps_text;

    t->locations = open_locations(t);
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        bool is_last = line[length] == '\0';
        struct target_map map;

        line[length] = '\0';
        if (read_line(line, &map)) {
            t->maps = realloc(t->maps, (t->map_count + 1) * sizeof *t->maps);
            if (t->maps == NULL)
                abort();
            t->maps[t->map_count++] = map;
        }
        line += length + !is_last;
    }
    find_machine(t);
    conclude(t);
}

const struct target_map *target_map_at(const struct target *t, uint64_t address)
{
    size_t low = 0, high = t->map_count;

    while (low < high) { /* the kernel lists them in order */
        size_t middle = (low + high) / 2;
        if (address >= t->maps[middle].end)
            low = middle + 1;
        else if (address < t->maps[middle].begin)
            high = middle;
        else
            return &t->maps[middle];
    }
    return NULL;
}
