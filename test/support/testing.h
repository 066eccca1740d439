/* SPDX-License-Identifier: MIT */
#ifndef FW_TESTING_H
#define FW_TESTING_H

/* cmocka wants these before its own header, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef main /* in a test group: fw_test_group in cmake/furwock.cmake */
int main(void);
#endif

#endif
