/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_CORE_PARTS_H
#define FW_COMMAND_WHO_CORE_PARTS_H

#include <elf.h>

#include "core.h"

/* What core.c and core_files.c share. */

enum { CORE_REGISTERS = 34 }; /* as many as any machine's note has that is read here */

struct core_thread {
    pid_t tid;
    uint64_t registers[CORE_REGISTERS]; /* as the note has them */
};

struct core_file {
    const char *path; /* as the core says */
    char *opened;     /* what is opened for it; NULL: it is another file by now */
    int fd;           /* -1: not yet, or it cannot be opened */
};

struct core {
    int fd;
    unsigned machine;
    Elf64_Phdr *segments;
    size_t segment_count;
    struct core_thread *threads;
    size_t thread_count;
    char *mapped; /* the note of the mapped files */
    size_t mapped_size;
    uint64_t program_at; /* an address in the program's own file; 0: not known */
    struct core_file *files;
    size_t file_count;
    char note[512];
};

size_t core_read_own(const struct core *c, uint64_t address, void *bytes, size_t size);

/* A file that was mapped under that path (or what was opened for it); -1: there is none. */
int core_file(struct core *c, const char *path);

/* The registers of a note, by the machine. */
void core_decode_registers(unsigned machine, const uint64_t *r, struct target_call *call);

#endif
