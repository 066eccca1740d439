/* SPDX-License-Identifier: MIT */
#ifndef FW_TESTING_H
#define FW_TESTING_H

/* cmocka wants these before its own header, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
