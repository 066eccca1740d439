/* SPDX-License-Identifier: MIT */
#ifndef FW_TESTING_H
#define FW_TESTING_H

/* cmocka wants these before its own header, in this order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#endif
