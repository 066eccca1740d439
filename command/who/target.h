/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_TARGET_H
#define FW_COMMAND_WHO_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command/stat/location.h"

/*
 * A process that is looked at from outside, or the core file of one.  A living one is read through
 * /proc/PID/{maps,mem,task} while it runs: nothing is stopped and nothing is written.
 */

/* A line of /proc/PID/maps. */
struct target_map {
    uint64_t begin, end, offset;
    uint64_t device, inode;
    bool is_shared, is_code;
    const char *path; /* "" if it has none */
};

enum target_libc { TARGET_GLIBC, TARGET_MUSL };

struct target {
    pid_t pid;       /* as this process sees it; of a core: as that process saw itself */
    char name[64];   /* of the program */
    int memory;      /* a file */
    char *maps_text; /* as /proc/PID/maps has it */
    struct target_map *maps;
    size_t map_count;
    uint64_t pid_namespace; /* 0: not known */
    unsigned machine;       /* EM_X86_64 and the like, of <elf.h>; 0: not known */
    enum target_libc libc;
    bool has_drop_in;    /* libfurwock-pthread.so serves its pthread_* calls */
    const char *runtime; /* "Go", "Java": a runtime with locks of its own; NULL: none */
    struct core *core;   /* NULL: a living process */
    struct locations *locations;
    struct unwinder *unwinder; /* NULL: this build has none, or it does not know the machine */
    struct target_site *sites; /* what has been found out about return addresses */
    size_t site_count, site_room;
};

/* The registers that unwinding starts with. */
enum { TARGET_REGISTERS = 33 };
struct target_registers {
    uint64_t sp, pc;
    bool has_all; /* `all` is known, by their DWARF numbers */
    uint64_t all[TARGET_REGISTERS];
};

enum target_state {
    TARGET_RUNNING, /* on a CPU: its registers are not known */
    TARGET_ASLEEP,  /* in a system call */
    TARGET_OTHER    /* in the kernel, but not in a system call: a page fault, stopped */
};

/* What /proc/PID/task/TID/syscall says. */
struct target_call {
    enum target_state state;
    int64_t number;
    uint64_t argument[6];
    struct target_registers registers;
};

/* A thread, as /proc/PID/task/TID/status has it. */
struct target_thread {
    pid_t tid, inner; /* as this process sees it, and as its own pid namespace does */
    char name[32];
    char state;        /* of the scheduler: R S D T t Z X */
    uint64_t switches; /* voluntary ones */
};

/* Opens a living process; false: *why says why not. */
bool target_open(struct target *t, pid_t pid, char *why, size_t size);
void target_close(struct target *t);
/* Reads anew what is mapped, of a living process that goes on; false: it has ended. */
bool target_refresh(struct target *t);

/* The parsing of `maps_text`, and what follows from it. */
void target_read_maps(struct target *t);

/* own.c: what the program calls its locks (fw_name) is known to the target's locations then. */
void target_read_names(struct target *t);

/* NULL: nothing is mapped there. */
const struct target_map *target_map_at(const struct target *t, uint64_t address);

/* Reads all of it or nothing. */
bool target_read(const struct target *t, uint64_t address, void *bytes, size_t size);
/* As much as there is from there on: the number of bytes. */
size_t target_read_some(const struct target *t, uint64_t address, void *bytes, size_t size);

/* The ids of its threads; to be freed. */
pid_t *target_threads(const struct target *t, size_t *count);
/* False: the thread has ended, or may not be looked at. */
bool target_thread(const struct target *t, pid_t tid, struct target_thread *about);
bool target_call(const struct target *t, pid_t tid, struct target_call *call);

/* What is known about the call that returns to an address. */
struct target_site {
    uint64_t address;
    struct location location;
    char *called; /* the function that was called, as the call names it; NULL: not known */
};
const struct target_site *target_site_of(struct target *t, uint64_t returns_to);

/* call.c: where the call that returns to that address leads; 0: no call is seen there. */
uint64_t call_leads_to(const struct target *t, uint64_t returns_to);
/* Is there a call instruction before that address? */
bool call_returns_to(const struct target *t, uint64_t address);

/* functions.c: where the function begins that has that address; 0: it is not known. */
uint64_t target_function_of(const struct target *t, uint64_t address);

/* rights.c: why this process may not look into that one. */
/* Yama's rule for ptrace, 0 to 3; 0 also where there is none. */
int rights_yama_scope(void);
void rights_explain(pid_t pid, int error, char *why, size_t size);

#endif
