/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_LOCATION_H
#define FW_COMMAND_STAT_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What lies at an address of a process that may have ended: by copies of its /proc/PID/maps, and
 * the files that these name.
 */
struct locations;

/*
 * Where a variable of furwock's library is: of its shared library, or of a program that has it
 * inside.  False: neither is there, or its symbols are not.
 */
bool locations_find(struct locations *p, const char *name, uint64_t *address);

/* The copies, the latest one last, as posix/stat_file.h has them. */
struct locations *locations_open(const char *maps);
/* The same of a living process, whose files may be in another mount namespace or deleted. */
struct locations *locations_open_of(const char *maps, pid_t pid);
void locations_close(struct locations *p);

/* What lies at exactly that address has that name, or none ("") from now on: it comes first. */
void locations_name(struct locations *p, uint64_t address, const char *name);

/* NULL and 0 where something is not known.  The texts live as long as the locations. */
struct location {
    const char *module; /* path of the file; or "[heap]" and the like */
    uint64_t offset;    /* in the module's own addresses */
    const char *symbol; /* function or variable, as it is to be read */
    uint64_t behind;    /* bytes from the symbol to the address */
    const char *file;   /* of the source */
    int line;
};

/* The call that returns to that address. */
struct location locations_call(struct locations *p, uint64_t returns_to);

/* A variable. */
struct location locations_data(struct locations *p, uint64_t address);

/*
 * As a word: "worker (hot.c:31)", "hot_lock+0x8", "libfoo.so+0x1234", "[heap] 0x55d0...", or the
 * address.
 */
void locations_write(const struct location *location, uint64_t address, char *text, unsigned size);

/*
 * Where the file can be opened that a process has mapped there under that path: below the process's
 * root, if it is still the same file (by its inode), else what is mapped.  pid 0: the path.
 */
void locations_file(pid_t pid, const char *path, uint64_t begin, uint64_t end, uint64_t inode,
                    char *file, size_t size);
/* Is it a regular file that begins as programs and libraries do? */
bool locations_is_elf(const char *file);

/* --- What the build picks: location_dwarf.c, or location_plain.c, which knows no symbols ------ */

struct locations_module {
    const char *path;
    const char *file;    /* what is opened for it */
    uint64_t begin, end; /* of all that is mapped of the file */
};

struct symbols;

struct symbols *symbols_open(const struct locations_module *modules, unsigned count);
void symbols_close(struct symbols *s);

/* Fill in what they find out: symbol, behind, file, line, offset. */
void symbols_call(struct symbols *s, uint64_t returns_to, struct location *location);
void symbols_data(struct symbols *s, uint64_t address, struct location *location);

/* The variable of that name in the module of that index. */
bool symbols_find(struct symbols *s, unsigned module, const char *name, uint64_t *address);

#endif
