// SPDX-License-Identifier: MIT
//! Changes that happen as a whole or not at all.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{size_of, size_of_val};
use std::ops::{Deref, Range};
use std::ptr::NonNull;

use furwock_sys::ipc as sys;

use super::error::{check, errno, Error};

/// A change of the data of a lock that has a journal: see [`Guard::journaled`](super::Guard).
///
/// It dereferences to the data, to read them.
pub struct Transaction<'a, T> {
    journal: NonNull<sys::fw_ipc_journal>,
    data: NonNull<T>,
    recorded: Vec<Range<usize>>,
    is_over: bool,
    of_guard: PhantomData<&'a mut T>,
}

impl<T> Transaction<'_, T> {
    /// The caller has the lock for as long as this lives.
    pub(super) fn begin(
        journal: NonNull<sys::fw_ipc_journal>,
        data: NonNull<T>,
    ) -> Result<Self, Error> {
        // SAFETY: the journal of a lock that the caller holds.
        let errno = unsafe { sys::fw_ipc_journal_commit(journal.as_ptr()) };
        check(errno, "empty the journal")?;
        let recorded = Vec::new();
        Ok(Self { journal, data, recorded, is_over: false, of_guard: PhantomData })
    }

    /// Everything is final.
    pub(super) fn commit(mut self) -> Result<(), Error> {
        // SAFETY: as in `begin`.
        let errno = unsafe { sys::fw_ipc_journal_commit(self.journal.as_ptr()) };
        check(errno, "commit the journal")?;
        self.is_over = true;
        Ok(())
    }

    /// Records a part of the data, which may then be changed.  `select` only selects: what it
    /// changes itself is not restored.
    ///
    /// To record the same part again costs no space.
    ///
    /// # Errors
    /// [`NoSpace`](super::ErrorKind::NoSpace): the journal is full.  What was changed before can
    /// still be undone (return the error) or kept (return `Ok`).
    /// [`InvalidInput`](super::ErrorKind::InvalidInput): that is no part of the data.
    pub fn record<F: ?Sized>(
        &mut self,
        select: impl for<'x> FnOnce(&'x mut T) -> &'x mut F,
    ) -> Result<&mut F, Error> {
        let begin = self.data.as_ptr() as usize;
        // SAFETY: the caller of `begin` holds the lock, and uses the data through this only.
        let part: *mut F = select(unsafe { self.data.as_mut() });
        let start = part.cast::<u8>() as usize;
        // SAFETY: the borrow by `select` is over, and no other is alive.
        let size = size_of_val(unsafe { &*part });
        let range = start..start + size;
        if range.start < begin || range.end > begin + size_of::<T>() {
            return Err(Error::new(errno::EINVAL, "record what is no part of the data"));
        }
        self.record_range(range)?;
        // SAFETY: as above; it lives as long as the borrow of `self`.
        Ok(unsafe { &mut *part })
    }

    /// Records all data.
    ///
    /// # Errors
    /// As for [`record`](Self::record).
    pub fn record_all(&mut self) -> Result<&mut T, Error> {
        self.record(|all| all)
    }

    fn record_range(&mut self, range: Range<usize>) -> Result<(), Error> {
        let is_known = |r: &Range<usize>| r.start <= range.start && range.end <= r.end;
        if range.is_empty() || self.recorded.iter().any(is_known) {
            return Ok(());
        }
        let start = range.start as *const c_void;
        // SAFETY: the journal of a lock that is held, and a part of the data that belong to it.
        let errno =
            unsafe { sys::fw_ipc_journal_record(self.journal.as_ptr(), start, range.len()) };
        check(errno, "record a part in the journal")?;
        self.recorded.push(range);
        Ok(())
    }
}

impl<T> Deref for Transaction<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: as in `record`.
        unsafe { self.data.as_ref() }
    }
}

impl<T> Drop for Transaction<'_, T> {
    fn drop(&mut self) {
        if !self.is_over {
            // SAFETY: as in `begin`; nobody has a reference to the data.  If it was overwritten,
            // the release of the lock says so.
            unsafe { sys::fw_ipc_journal_undo(self.journal.as_ptr()) };
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Transaction<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transaction").field(&**self).finish()
    }
}
