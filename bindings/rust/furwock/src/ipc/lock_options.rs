// SPDX-License-Identifier: MIT
//! The objects of a region that make up a lock and its data.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::size_of;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use furwock_sys::ipc as sys;

use super::error::{errno, Error, ErrorKind};
use super::region::{Creation, UntrustedRegion};
use super::shm::{assert_fits, ShmSafe};

/// How to open or create a lock and its data.
///
/// A lock called `jobs` is an object of that name in the region's directory, with its journal if
/// it has one; its data are another one, `jobs.data`; the mark of a panic a third, `jobs.poison`.
/// So a program in C finds the same lock by `fw_region_mutex(region, "jobs", ..)` or
/// `fw_region_mutex_with_journal`, and its data by `fw_region_object(region, "jobs.data",
/// FW_REGION_DATA, ..)`.  A name has at most 32 bytes, then.
#[derive(Clone, Debug, Default)]
pub struct LockOptions {
    journal: Option<usize>,
    data: Option<String>,
    poison: bool,
    create_new: bool,
}

impl LockOptions {
    /// No journal, no poisoning, a new or an existing lock.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new lock has an undo journal of that capacity in bytes (rounded up to a multiple of 8),
    /// and an existing one must have it.  A record of `n` bytes takes
    /// [`journal_record(n)`](journal_record).
    ///
    /// A lock that has a journal uses it, whether this is asked for or not.
    pub fn journal(mut self, capacity: usize) -> Self {
        self.journal = Some(capacity.div_ceil(8) * 8);
        self
    }

    /// A panic while the lock is held for writing is noted, and later calls of all processes
    /// return [`LockError::Poisoned`](super::LockError::Poisoned).  Without this, and without a
    /// journal, a panic only releases the lock.
    ///
    /// A lock that was created with this has it, whether it is asked for or not.
    pub fn poison(mut self, poison: bool) -> Self {
        self.poison = poison;
        self
    }

    /// Fail if there is a lock of that name.
    pub fn create_new(mut self, create_new: bool) -> Self {
        self.create_new = create_new;
        self
    }

    /// The data are the object of this name, in place of the lock's name and `.data`.
    ///
    /// # Safety
    /// No other lock of the region protects an object of that name.
    pub unsafe fn data_name(mut self, name: &str) -> Self {
        self.data = Some(name.to_owned());
        self
    }
}

/// What a record of `n` bytes takes in a journal.
///
/// ```
/// assert_eq!(furwock::ipc::journal_record(12), 32);
/// ```
pub const fn journal_record(n: usize) -> usize {
    sys::fw_ipc_journal_record_size(n)
}

/// A lock of C that may have a journal.
pub(super) trait Lockable {
    const KIND: sys::fw_region_kind;

    /// # Safety
    /// The function of C, with its rules.
    unsafe fn with_journal(
        region: *mut sys::fw_region,
        name: *const c_char,
        capacity: usize,
        flags: c_uint,
        lock: *mut *mut Self,
        journal: *mut *mut sys::fw_ipc_journal,
    ) -> c_int;
}

impl Lockable for sys::fw_ipc_mutex {
    const KIND: sys::fw_region_kind = sys::FW_REGION_MUTEX;

    unsafe fn with_journal(
        region: *mut sys::fw_region,
        name: *const c_char,
        capacity: usize,
        flags: c_uint,
        lock: *mut *mut Self,
        journal: *mut *mut sys::fw_ipc_journal,
    ) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { sys::fw_region_mutex_with_journal(region, name, capacity, flags, lock, journal) }
    }
}

impl Lockable for sys::fw_ipc_rwlock {
    const KIND: sys::fw_region_kind = sys::FW_REGION_RWLOCK;

    unsafe fn with_journal(
        region: *mut sys::fw_region,
        name: *const c_char,
        capacity: usize,
        flags: c_uint,
        lock: *mut *mut Self,
        journal: *mut *mut sys::fw_ipc_journal,
    ) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { sys::fw_region_rwlock_with_journal(region, name, capacity, flags, lock, journal) }
    }
}

/// A lock and its data, in a region that stays open as long as this lives.
pub(super) struct Parts<C, T> {
    _region: UntrustedRegion,
    pub(super) lock: NonNull<C>,
    pub(super) data: NonNull<T>,
    pub(super) journal: Option<NonNull<sys::fw_ipc_journal>>,
    poison: Option<NonNull<AtomicU64>>,
}

impl<C, T> Parts<C, T> {
    pub(super) fn is_poisoned(&self) -> bool {
        // SAFETY: a word of the region.
        self.poison.is_some_and(|word| unsafe { word.as_ref() }.load(Relaxed) != 0)
    }

    pub(super) fn set_poisoned(&self, poisoned: bool) {
        if let Some(word) = self.poison {
            // SAFETY: a word of the region.
            unsafe { word.as_ref() }.store(poisoned.into(), Relaxed);
        }
    }
}

impl<C: Lockable, T: ShmSafe> Parts<C, T> {
    /// With a value: created if missing.
    pub(super) fn open(
        region: &UntrustedRegion,
        name: &str,
        options: &LockOptions,
        value: Option<T>,
    ) -> Result<Self, Error> {
        assert_fits::<T>();
        let creation = match (&value, options.create_new) {
            (None, _) => Creation::Never,
            (Some(_), false) => Creation::IfMissing,
            (Some(_), true) => Creation::Only,
        };
        let data_name = options.data.clone().unwrap_or_else(|| format!("{name}.data"));
        if name.len() > sys::FW_REGION_NAME_MAX - ".poison".len() {
            return Err(Error::named(errno::EINVAL, "open a lock (at most 32 bytes)", name));
        }
        let (lock, journal) = find_lock::<C>(region, name, options.journal, creation)?;
        Ok(Self {
            lock,
            journal,
            data: find_data(region, &data_name, creation, value)?,
            poison: find_poison(region, &format!("{name}.poison"), options.poison, creation)?,
            _region: region.clone(),
        })
    }
}

type Found<C> = (NonNull<C>, Option<NonNull<sys::fw_ipc_journal>>);

fn find_lock<C: Lockable>(
    region: &UntrustedRegion,
    name: &str,
    journal: Option<usize>,
    creation: Creation,
) -> Result<Found<C>, Error> {
    if let Some(capacity) = journal {
        return find_with_journal(region, name, capacity, creation);
    }
    let lock = region.object(name, C::KIND, size_of::<C>(), creation)?.cast::<C>();
    // SAFETY: the word of its journal lies there in both kinds of lock (asserted below), in a
    // region, for as long as that is open.
    let attached = unsafe { &*lock.as_ptr().cast::<u8>().add(JOURNAL_WORD).cast::<AtomicU64>() };
    match attached.load(Relaxed) {
        0 => Ok((lock, None)),
        _ => find_with_journal(region, name, 0, Creation::Never),
    }
}

const JOURNAL_WORD: usize = 8 + 32;
const _: () = assert!(size_of::<sys::fw_ipc_history>() == 40);

fn find_with_journal<C: Lockable>(
    region: &UntrustedRegion,
    name: &str,
    capacity: usize,
    creation: Creation,
) -> Result<Found<C>, Error> {
    let mut journal = ptr::null_mut();
    let lock = region.find(name, |region, name, lock| {
        // SAFETY: an open region, a C string, places for the results.
        unsafe { C::with_journal(region, name, capacity, creation.flags(), lock, &mut journal) }
    })?;
    Ok((lock, NonNull::new(journal)))
}

/// Moves the value into a new object.
unsafe extern "C" fn place<T>(object: *mut c_void, value: *mut c_void) -> c_int {
    // SAFETY: `find_data` passes an Option<T>, which it does not use meanwhile; the object has the
    // size of T, and its alignment, and nobody else can find it yet.
    unsafe {
        match (*value.cast::<Option<T>>()).take() {
            Some(value) => object.cast::<T>().write(value),
            None => return errno::EINVAL,
        }
    }
    0
}

fn find_data<T: ShmSafe>(
    region: &UntrustedRegion,
    name: &str,
    creation: Creation,
    mut value: Option<T>,
) -> Result<NonNull<T>, Error> {
    let value: *mut Option<T> = &mut value;
    let object = region.find(name, |region, name, object: *mut *mut c_void| {
        // SAFETY: an open region, a C string, a place for the result; `place` takes such a value.
        unsafe {
            sys::fw_region_object_init(
                region,
                name,
                sys::FW_REGION_DATA,
                size_of::<T>(),
                creation.flags(),
                Some(place::<T>),
                value.cast(),
                object,
            )
        }
    })?;
    Ok(object.cast())
}

fn find_poison(
    region: &UntrustedRegion,
    name: &str,
    is_wanted: bool,
    creation: Creation,
) -> Result<Option<NonNull<AtomicU64>>, Error> {
    let creation = match creation {
        Creation::Only | Creation::IfMissing if is_wanted => Creation::IfMissing,
        _ => Creation::Never,
    };
    match region.object(name, sys::FW_REGION_DATA, size_of::<AtomicU64>(), creation) {
        Ok(object) => Ok(Some(object.cast())),
        Err(error) if error.kind() == ErrorKind::NotFound && !is_wanted => Ok(None),
        Err(error) => Err(error),
    }
}
