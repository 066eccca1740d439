// SPDX-License-Identifier: MIT
#ifndef FW_IN_STD_HPP
#define FW_IN_STD_HPP

/*
 * furwock's classes in the place of the standard library's, for its tests: included before them,
 * with all headers that they include, it lets std mean a namespace that has the same names.  A name
 * that is declared there hides what comes from std.
 */
#include <bits/stdc++.h>

#include <furwock.hpp>

namespace fw_in_std {
using namespace std;

using fw::barrier;
using fw::binary_semaphore;
using fw::call_once;
using fw::condition_variable;
using fw::condition_variable_any;
using fw::counting_semaphore;
using fw::latch;
using fw::mutex;
using fw::once_flag;
using fw::recursive_mutex;
using fw::recursive_timed_mutex;
using fw::shared_mutex;
using shared_timed_mutex = fw::shared_mutex;
using timed_mutex = fw::mutex;
} // namespace fw_in_std

#define std fw_in_std

#endif
