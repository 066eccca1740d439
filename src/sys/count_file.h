/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_COUNT_FILE_H
#define FW_SYS_COUNT_FILE_H

#include <stddef.h>

/*
 * A file into which a process counts, for another that reads it, meanwhile or afterwards.  Nothing
 * here is a cancellation point, allocates, or touches errno.  Results: 0 or a positive errno.
 */

/*
 * Makes the file, of `size` bytes, all zeroes, readable and writable for the user only, and maps
 * it shared.  Storage is taken for what is written, and not before.
 *   EEXIST  there is such a file; and other errors of open(2), ftruncate(2), mmap(2)
 */
int fw_count_file_make_(const char *path, size_t size, void **base);

/* Takes it out of memory, and removes it: nobody else has used it. */
void fw_count_file_remove_(const char *path, void *base, size_t size);

/*
 * Takes storage for all of the memory, so that no later access is ended by SIGBUS for want of it.
 *   EFAULT, ENOMEM  there is not that much storage
 * A kernel before Linux 5.14 cannot: then nothing is done, and the result is 0.
 */
int fw_count_file_reserve_(void *base, size_t size);

/*
 * Appends what is in `from`, a file of /proc, to the file `to`, which is made where there is none,
 * and shows each piece of it to `see` on the way.
 */
int fw_count_file_append_(const char *from, const char *to,
                          void (*see)(const char *bytes, size_t n, void *arg), void *arg);

/* The name of the calling thread, as the kernel has it. */
void fw_thread_name_(char name[static 16]);

#endif
