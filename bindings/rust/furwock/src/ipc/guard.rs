// SPDX-License-Identifier: MIT
//! What a thread has that holds a lock exclusively.

use std::fmt;
use std::mem::{size_of, ManuallyDrop};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::thread;

use furwock_sys::ipc as sys;

use super::error::{check, errno, Death, Error};
use super::holder::{HeldByThread, Holder};
use super::journal::Transaction;
use super::lock_error::{InvalidData, LockError, OwnerDied, Poisoned};
use super::shm::{is_valid, ShmSafe};

/// What all locks have in common that can be held exclusively.
pub(super) mod sealed {
    use super::*;

    pub trait Exclusive {
        type Data: ShmSafe;

        fn data(&self) -> NonNull<Self::Data>;
        fn journal(&self) -> Option<NonNull<sys::fw_ipc_journal>>;
        fn is_poisoned(&self) -> bool;
        fn set_poisoned(&self, poisoned: bool);

        /// Calls of C on the lock.
        fn unlock(&self) -> i32;
        fn consistent(&self) -> i32;
        fn unlock_for(&self, task: furwock_sys::fw_task) -> i32;
        fn consistent_for(&self, task: furwock_sys::fw_task) -> i32;
        /// Asks for the lock.
        ///
        /// # Safety
        /// The operation is initialised and idle, and does not move until it has ended.
        unsafe fn submit(&self, op: *mut furwock_sys::fw_await) -> i32;
        fn generation(&self) -> u64;
        fn death(&self, death: &mut sys::fw_ipc_death) -> i32;

        /// Are the bytes a value?  For the holder.
        fn is_value(data: NonNull<Self::Data>) -> bool;
        /// Lets the holder change its data; `None`: their bytes are no value, and `change` was
        /// not called.
        fn with<R>(
            data: NonNull<Self::Data>,
            change: impl FnOnce(&mut Self::Data) -> R,
        ) -> Option<R>;
        /// Lets the holder replace its data.
        fn replace(data: NonNull<Self::Data>, value: Self::Data);
    }

    /// A lock in a region that is trusted: whose holder may have references to the data.
    pub trait InPlace: Exclusive {}
}

pub(super) use sealed::{Exclusive, InPlace};

/// [`Exclusive::is_value`] for references into the region.
pub(super) fn is_value_in_place<T: ShmSafe>(data: NonNull<T>) -> bool {
    // SAFETY: only the holder of the lock gets here: nobody else has a reference.
    unsafe { is_valid(data) }
}

/// [`Exclusive::with`] for references into the region.
pub(super) fn with_in_place<T: ShmSafe, R>(
    mut data: NonNull<T>,
    change: impl FnOnce(&mut T) -> R,
) -> Option<R> {
    // SAFETY: only the holder of the lock gets here: nobody else has a reference.
    unsafe { is_valid(data).then(|| change(data.as_mut())) }
}

/// [`Exclusive::replace`] for references into the region.
pub(super) fn replace_in_place<T: ShmSafe>(data: NonNull<T>, value: T) {
    // SAFETY: as above; and what was there has no destructor.
    unsafe { data.as_ptr().write(value) }
}

pub(super) fn last_death<L: Exclusive>(lock: &L) -> Option<Death> {
    let mut death = sys::fw_ipc_death::default();
    (lock.death(&mut death) == 0).then(|| death.into())
}

/// A lock that is held exclusively, and the way to its data; dropping it releases the lock.
///
/// It belongs to the thread that took the lock, and cannot be sent to another one; or, if a future
/// took it ([`HeldByTask`](super::HeldByTask)), to the task, and can.
///
/// **Journal.**  If the lock has one, the first mutable use of the data records all of them, so
/// that they are restored if the process dies; [`journaled`](Guard::journaled) records parts of
/// large data.
///
/// **Panic.**  If the guard is dropped by a panic, what the journal has recorded is undone; else
/// the data stay as they are, and are marked if the lock has
/// [`poison`](super::LockOptions::poison).
///
/// **Fork.**  A forked child holds nothing, though it has a copy of the guard: dropping it there
/// changes nothing, and the data must not be touched.
///
/// `mem::forget` keeps the lock until the thread ends, which then counts as its death; that of a
/// task, until the process ends.
#[must_use = "dropping the guard releases the lock"]
pub struct Guard<'a, L: Exclusive, H: Holder = HeldByThread> {
    pub(super) lock: &'a L,
    pub(super) holder: H,
    is_recorded: bool,
    was_panicking: bool,
}

// SAFETY: a shared guard gives no more than `&T`.
unsafe impl<L: Exclusive, H: Holder> Sync for Guard<'_, L, H> where L::Data: Sync {}

impl<'a, L: Exclusive> Guard<'a, L> {
    /// For a thread that has just taken the lock, or had its guard before.
    #[inline]
    pub(super) fn new(lock: &'a L) -> Self {
        Self::new_for(lock, HeldByThread::new())
    }

    /// What a lock call of C returned.
    #[inline]
    pub(super) fn after(
        lock: &'a L,
        result: i32,
        during: &'static str,
    ) -> Result<Self, LockError<Self>> {
        Self::after_for(lock, HeldByThread::new(), result, during)
    }

    /// The lock stays held, and the guard is no more.
    pub(super) fn into_lock(self) -> &'a L {
        self.into_parts().0
    }
}

impl<'a, L: Exclusive, H: Holder> Guard<'a, L, H> {
    /// For one who has just taken the lock, or had its guard before.
    #[inline]
    pub(super) fn new_for(lock: &'a L, holder: H) -> Self {
        Self { lock, holder, is_recorded: false, was_panicking: thread::panicking() }
    }

    /// What a lock call of C returned.
    #[inline]
    pub(super) fn after_for(
        lock: &'a L,
        holder: H,
        result: i32,
        during: &'static str,
    ) -> Result<Self, LockError<Self>> {
        if result == 0 && L::is_value(lock.data()) && !lock.is_poisoned() {
            return Ok(Self::new_for(lock, holder));
        }
        Self::after_slow(lock, holder, result, during)
    }

    #[cold]
    #[inline(never)]
    fn after_slow(
        lock: &'a L,
        holder: H,
        result: i32,
        during: &'static str,
    ) -> Result<Self, LockError<Self>> {
        match result {
            0 => Self::new_for(lock, holder).checked(None),
            errno::EOWNERDEAD => {
                let unknown = Death { process: 0, thread: 0, generation: 0 };
                let death = last_death(lock).unwrap_or(unknown);
                let guard = Self::new_for(lock, holder);
                Err(LockError::OwnerDied(OwnerDied { guard, death }))
            }
            other => Err(LockError::of(other, during)),
        }
    }

    /// The guard, if the data are what they should be.
    pub(super) fn checked(self, death: Option<Death>) -> Result<Self, LockError<Self>> {
        if !L::is_value(self.lock.data()) {
            return Err(LockError::Invalid(InvalidData { guard: self, death }));
        }
        if self.lock.is_poisoned() {
            return Err(LockError::Poisoned(Poisoned { guard: self }));
        }
        Ok(self)
    }

    /// The lock stays held, and the guard is no more.
    pub(super) fn into_parts(self) -> (&'a L, H) {
        let this = ManuallyDrop::new(self);
        // SAFETY: read once, and never dropped.
        (this.lock, unsafe { ptr::read(&this.holder) })
    }

    /// The number of this acquisition, greater than that of every one before.  Stored with data
    /// outside the region, it allows late writes of a former owner to be rejected (a fencing
    /// token).
    pub fn generation(this: &Self) -> u64 {
        this.lock.generation()
    }

    /// Releases the lock, as dropping does, and says whether that went well.
    ///
    /// # Errors
    /// [`NotPermitted`](super::ErrorKind::NotPermitted): this is a forked child, which does not
    /// hold it.  [`Corrupted`](super::ErrorKind::Corrupted): it or its journal was overwritten.
    pub fn unlock(this: Self) -> Result<(), Error> {
        let (lock, holder) = this.into_parts();
        check(holder.unlock(lock), "release the lock")
    }

    /// After a panic.
    #[cold]
    fn undo_or_poison(&self) {
        // SAFETY: the journal of the lock, which is held.
        let undo = |journal| unsafe { sys::fw_ipc_journal_undo(NonNull::as_ptr(journal)) };
        if self.lock.journal().map_or(true, |journal| undo(journal) != 0) {
            self.lock.set_poisoned(true);
        }
    }

    fn record_all(&mut self) -> Result<(), Error> {
        if let Some(journal) = self.lock.journal() {
            let data = self.lock.data().as_ptr().cast();
            // SAFETY: the journal of the lock, which is held; its data, in the same region.
            let errno =
                unsafe { sys::fw_ipc_journal_record(journal.as_ptr(), data, size_of::<L::Data>()) };
            check(errno, "record the data in the journal")?;
            self.is_recorded = true;
        }
        Ok(())
    }

    /// Before a change of all data.
    #[inline]
    pub(super) fn record_or_panic(&mut self) {
        if self.lock.journal().is_some() && !self.is_recorded {
            self.record_or_panic_slow();
        }
    }

    #[cold]
    fn record_or_panic_slow(&mut self) {
        if let Err(error) = self.record_all() {
            panic!(
                "{error}: the journal is too small for all data at once (change parts in \
                    `journaled`), or has been overwritten"
            );
        }
    }
}

impl<L: InPlace, H: Holder> Guard<'_, L, H> {
    /// A change that happens as a whole or not at all: if `change` returns `Ok`, it is final; if it
    /// returns an error, panics or is killed, everything that it has recorded is restored.
    ///
    /// What the guard has changed before, in this critical section, is final when this begins.
    ///
    /// ```
    /// # let name = format!("/furwock-doc-journaled-{}", std::process::id());
    /// use furwock::ipc::{journal_record, Error, Guard, LockOptions, Mutex, Region};
    ///
    /// # // SAFETY: nobody else knows the name.
    /// let region = unsafe { Region::options().create(true).open(&name) }?;
    /// # Region::remove(&name)?;
    /// let options = LockOptions::new().journal(4 * journal_record(8));
    /// let accounts = Mutex::open_or_create_with(&region, "accounts", &options, [100_u64; 1000])?;
    ///
    /// let mut guard = accounts.lock().unwrap();
    /// Guard::journaled(&mut guard, |change| {
    ///     *change.record(|all| &mut all[7])? -= 30; // kill -9 here: the 30 are still in account 7
    ///     *change.record(|all| &mut all[9])? += 30;
    ///     Ok::<(), Error>(())
    /// })?;
    /// assert_eq!((guard[7], guard[9]), (70, 130));
    /// # Ok::<(), furwock::ipc::Error>(())
    /// ```
    ///
    /// # Errors
    /// That of `change`; [`InvalidInput`](super::ErrorKind::InvalidInput) if the lock has no
    /// journal; [`Corrupted`](super::ErrorKind::Corrupted) if that was overwritten.
    pub fn journaled<R, E: From<Error>>(
        this: &mut Self,
        change: impl FnOnce(&mut Transaction<'_, L::Data>) -> Result<R, E>,
    ) -> Result<R, E> {
        let Some(journal) = this.lock.journal() else {
            return Err(Error::new(errno::EINVAL, "use the journal of a lock without one").into());
        };
        this.is_recorded = false;
        let mut transaction = Transaction::begin(journal, this.lock.data())?;
        let result = change(&mut transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

impl<L: InPlace, H: Holder> Deref for Guard<'_, L, H> {
    type Target = L::Data;

    #[inline]
    fn deref(&self) -> &L::Data {
        // SAFETY: the lock is held, its region trusted, and the bytes were a value.
        unsafe { self.lock.data().as_ref() }
    }
}

impl<L: InPlace, H: Holder> DerefMut for Guard<'_, L, H> {
    /// # Panics
    /// If the lock has a journal that is too small for all data at once, or was overwritten.
    #[inline]
    fn deref_mut(&mut self) -> &mut L::Data {
        self.record_or_panic();
        // SAFETY: as above, and the guard is borrowed uniquely.
        unsafe { self.lock.data().as_mut() }
    }
}

impl<L: Exclusive, H: Holder> Drop for Guard<'_, L, H> {
    #[inline]
    fn drop(&mut self) {
        if thread::panicking() && !self.was_panicking {
            self.undo_or_poison();
        }
        // Not held after a fork; and what was overwritten the next one is told.
        self.holder.unlock(self.lock);
    }
}

impl<L: InPlace, H: Holder> fmt::Debug for Guard<'_, L, H>
where
    L::Data: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<L: InPlace, H: Holder> fmt::Display for Guard<'_, L, H>
where
    L::Data: fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
