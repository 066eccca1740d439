#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A thread-local variable of the library was reached through __tls_get_addr, which may allocate and
# take the loader's lock at the first access in a thread: in an unlock, perhaps in a signal handler
# or inside malloc.  The library must not need that function.
#
# usage: unlock_allocates.sh LIBRARY
symbols=$(nm -D --undefined-only "$1") || exit 77
case "$symbols" in
*__tls_get_addr* | *__tls_descriptor*)
    echo "$1 reaches thread-local variables through a call"
    exit 1
    ;;
esac
