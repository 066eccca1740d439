// SPDX-License-Identifier: MIT
//! Deadlines: `include/furwock/bits/deadline.h`, and the clock that they are read from.

use core::ffi::c_int;

/// The C library's `struct timespec` of 64-bit Linux.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct timespec {
    /// Seconds.
    pub tv_sec: i64,
    /// Nanoseconds, from 0 to 999 999 999.
    pub tv_nsec: i64,
}

/// The clock that cannot be set.
pub const CLOCK_MONOTONIC: c_int = 1;
/// The clock of the calendar.
pub const CLOCK_REALTIME: c_int = 0;

/// A point in time on [`CLOCK_MONOTONIC`] or [`CLOCK_REALTIME`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct fw_deadline {
    /// When.
    pub at: timespec,
    /// On which clock.
    pub clock: c_int,
}

extern "C" {
    /// The C library's clock.
    pub fn clock_gettime(clock: c_int, now: *mut timespec) -> c_int;
}
