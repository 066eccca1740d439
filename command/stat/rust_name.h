/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_RUST_NAME_H
#define FW_COMMAND_STAT_RUST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The path of a symbol that rustc has mangled by its v0 scheme (RFC 2603), without arguments:
 * "_RNvMNtNtCs1_3std4sync5mutexNtB2_5Mutex4lock" is std::sync::mutex::Mutex::lock.  False: it is no
 * such symbol, or is longer than `size` allows.
 */
bool rust_name(const char *symbol, char *path, size_t size);

/* Cuts off the hash that the legacy scheme ends a path with. */
void rust_cut_hash(char *path);

#endif
