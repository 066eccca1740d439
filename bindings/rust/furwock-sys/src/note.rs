// SPDX-License-Identifier: MIT
//! Requests to stop: `include/furwock/note.h`.

use core::ffi::{c_int, c_uint};

use crate::{fw_any, fw_cond, fw_deadline, fw_event, fw_latch, fw_mutex, fw_sem};

/// `include/furwock/note.h`: to be initialised by [`fw_note_init`].
#[repr(C)]
#[derive(Debug)]
pub struct fw_note {
    /// Internal.
    pub event_: fw_event,
    /// Internal.
    pub parent_: *const fw_note,
    /// Internal.
    pub deadline_: fw_deadline,
    /// Internal.
    pub has_deadline_: u32,
    /// Internal.
    pub depth_: u32,
}

/// How deep a tree of notes may be.
pub const FW_NOTE_DEPTH_MAX: c_uint = 8;

#[allow(missing_docs)] // the header documents each
extern "C" {
    pub fn fw_note_init(
        n: *mut fw_note,
        parent: *const fw_note,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_note_notify(n: *mut fw_note);
    pub fn fw_note_is_notified(n: *const fw_note) -> bool;
    pub fn fw_note_wait(n: *const fw_note, deadline: *const fw_deadline) -> c_int;
    pub fn fw_note_wait_any(
        objects: *const fw_any,
        n: c_uint,
        note: *const fw_note,
        deadline: *const fw_deadline,
        which: *mut c_uint,
    ) -> c_int;
    pub fn fw_note_sem_wait(
        s: *mut fw_sem,
        note: *const fw_note,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_note_event_wait(
        e: *mut fw_event,
        note: *const fw_note,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_note_latch_wait(
        l: *mut fw_latch,
        note: *const fw_note,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_note_mutex_lock(
        m: *mut fw_mutex,
        note: *const fw_note,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_note_cond_wait(
        c: *mut fw_cond,
        m: *mut fw_mutex,
        note: *const fw_note,
        deadline: *const fw_deadline,
    ) -> c_int;
}
