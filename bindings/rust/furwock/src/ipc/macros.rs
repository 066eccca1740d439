// SPDX-License-Identifier: MIT
//! What the locks with data have in common, word for word.

/// `open` and its like.
macro_rules! constructors {
    ($region:ident, $what:literal) => {
        #[doc = concat!("The ", $what, " of that name.")]
        ///
        /// # Errors
        /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch) (an
        /// object of another kind, or smaller data), [`Corrupted`](super::ErrorKind::Corrupted).
        pub fn open(region: &$region, name: &str) -> Result<Self, Error> {
            Self::with_options(region, name, &LockOptions::new(), None)
        }

        #[doc = concat!("The ", $what, " of that name; a new one, with that value, if there is")]
        /// none.
        ///
        /// # Errors
        /// As for [`open`](Self::open), and [`NoSpace`](super::ErrorKind::NoSpace) in the region,
        /// [`NoSlot`](super::ErrorKind::NoSlot).
        pub fn open_or_create(region: &$region, name: &str, value: T) -> Result<Self, Error> {
            Self::with_options(region, name, &LockOptions::new(), Some(value))
        }

        #[doc = concat!("The ", $what, " of that name, with those options.")]
        ///
        /// # Errors
        /// As for [`open`](Self::open).
        pub fn open_with(
            region: &$region,
            name: &str,
            options: &LockOptions,
        ) -> Result<Self, Error> {
            Self::with_options(region, name, options, None)
        }

        #[doc = concat!("The ", $what, " of that name, with those options; a new one if there")]
        /// is none.
        ///
        /// # Errors
        /// As for [`open_or_create`](Self::open_or_create);
        /// [`AlreadyExists`](super::ErrorKind::AlreadyExists) with
        /// [`create_new`](LockOptions::create_new); [`Mismatch`](super::ErrorKind::Mismatch) also
        /// if there is one without a journal, or with one of another capacity.
        pub fn open_or_create_with(
            region: &$region,
            name: &str,
            options: &LockOptions,
            value: T,
        ) -> Result<Self, Error> {
            Self::with_options(region, name, options, Some(value))
        }

        fn with_options(
            region: &$region,
            name: &str,
            options: &LockOptions,
            value: Option<T>,
        ) -> Result<Self, Error> {
            Ok(Self { parts: Parts::open(region, name, options, value)? })
        }
    };
}

/// The first half of [`Exclusive`](super::guard::Exclusive).
macro_rules! exclusive_parts {
    () => {
        #[inline]
        fn data(&self) -> NonNull<T> {
            self.parts.data
        }

        #[inline]
        fn journal(&self) -> Option<NonNull<sys::fw_ipc_journal>> {
            self.parts.journal
        }

        #[inline]
        fn is_poisoned(&self) -> bool {
            self.parts.is_poisoned()
        }

        fn set_poisoned(&self, poisoned: bool) {
            self.parts.set_poisoned(poisoned);
        }
    };
}

/// The calls of C.
macro_rules! exclusive_calls {
    ($unlock:ident, $consistent:ident, $generation:ident, $death:ident;
     $submit:ident, $unlock_for:ident, $consistent_for:ident) => {
        #[inline]
        fn unlock(&self) -> i32 {
            // SAFETY: a lock in a region that is open.
            unsafe { sys::$unlock(self.parts.lock.as_ptr()) }
        }

        fn consistent(&self) -> i32 {
            // SAFETY: the same.
            unsafe { sys::$consistent(self.parts.lock.as_ptr()) }
        }

        #[inline]
        fn unlock_for(&self, task: furwock_sys::fw_task) -> i32 {
            // SAFETY: the same.
            unsafe { sys::$unlock_for(self.parts.lock.as_ptr(), task) }
        }

        fn consistent_for(&self, task: furwock_sys::fw_task) -> i32 {
            // SAFETY: the same.
            unsafe { sys::$consistent_for(self.parts.lock.as_ptr(), task) }
        }

        unsafe fn submit(&self, op: *mut furwock_sys::fw_await) -> i32 {
            // SAFETY: the same; the operation is the caller's.
            unsafe { sys::$submit(op, self.parts.lock.as_ptr(), std::ptr::null()) }
        }

        fn generation(&self) -> u64 {
            // SAFETY: the same.
            unsafe { sys::$generation(self.parts.lock.as_ptr()) }
        }

        fn death(&self, death: &mut sys::fw_ipc_death) -> i32 {
            // SAFETY: the same, and a place for the result.
            unsafe { sys::$death(self.parts.lock.as_ptr(), death) }
        }
    };
}

/// `open` and `open_or_create` of an object without parameters.
macro_rules! object_constructors {
    ($what:literal) => {
        #[doc = concat!("The ", $what, " of that name.")]
        ///
        /// # Errors
        /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch) (an
        /// object of another kind), [`Corrupted`](super::ErrorKind::Corrupted).
        pub fn open(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
            Self::with(region, name, Creation::Never)
        }

        #[doc = concat!("The ", $what, " of that name; a new one if there is none.")]
        ///
        /// # Errors
        /// As for [`open`](Self::open), and [`NoSpace`](super::ErrorKind::NoSpace),
        /// [`NoSlot`](super::ErrorKind::NoSlot).
        pub fn open_or_create(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
            Self::with(region, name, Creation::IfMissing)
        }
    };
}

/// What both mutexes can do; what is said of it differs in places.
macro_rules! mutex_methods {
    ($guard:ident, $result:ident;
     $(#[$lock:meta])* lock;
     $(#[$on_death:meta])* on_death;
     $(#[$last_death:meta])* last_death;) => {
        pub(super) fn raw(&self) -> *mut sys::fw_ipc_mutex {
            self.parts.lock.as_ptr()
        }

        $(#[$lock])*
        ///
        /// # Errors
        /// [`LockError`] says which of them hold the lock.
        pub fn lock(&self) -> $result<'_, T> {
            // SAFETY: a mutex in a region that is open.
            Guard::after(self, unsafe { sys::fw_ipc_mutex_lock(self.raw()) }, DURING)
        }

        /// Takes the mutex if it is free or its owner is dead.
        ///
        /// # Errors
        /// [`LockError::WouldBlock`], and as for [`lock`](Self::lock).
        pub fn try_lock(&self) -> $result<'_, T> {
            // SAFETY: as above.
            Guard::after(self, unsafe { sys::fw_ipc_mutex_trylock(self.raw()) }, DURING)
        }

        /// The same, waiting for that time at most.
        ///
        /// # Errors
        /// [`LockError::TimedOut`], and as for [`lock`](Self::lock).
        pub fn try_lock_for(&self, timeout: Duration) -> $result<'_, T> {
            self.lock_by(&Deadline::after(timeout))
        }

        /// The same, waiting until that moment at most.
        ///
        /// # Errors
        /// As for [`try_lock_for`](Self::try_lock_for).
        pub fn try_lock_until(&self, deadline: Instant) -> $result<'_, T> {
            self.lock_by(&Deadline::at(deadline))
        }

        fn lock_by(&self, deadline: &Deadline) -> $result<'_, T> {
            let (lock, deadline) = (self.raw(), deadline.as_ptr());
            // SAFETY: as above; null is no policy, and no deadline.
            let result = unsafe { sys::fw_ipc_mutex_lock_policy(lock, ptr::null(), deadline) };
            Guard::after(self, result, DURING)
        }

        /// Takes the mutex, and lets `repair` restore the data if its owner died (or a panic left
        /// them half changed: then there is no death).
        ///
        /// # Errors
        /// What remains: the lock is not held.
        pub fn lock_or_repair(
            &self,
            repair: impl FnOnce(&mut T, Option<&Death>),
        ) -> Result<$guard<'_, T>, Error> {
            repaired(self.lock(), repair)
        }

        $(#[$on_death])*
        pub fn on_death(
            &self,
            repair: impl Fn(&mut T, &Death) -> bool + Send + Sync + 'static,
        ) -> Result<(), Error> {
            let data = Shared(self.parts.data);
            let (call, arg) = leaked(Box::new(move |death| data.repair::<Self>(&repair, death)));
            // SAFETY: as above; the function stays, and C forgets it when the region is closed.
            let result = unsafe { sys::fw_ipc_mutex_on_death(self.raw(), Some(call), arg) };
            check(result, "register a repair function")
        }

        /// Unregisters it.
        pub fn no_repair(&self) {
            // SAFETY: as above.
            unsafe { sys::fw_ipc_mutex_on_death(self.raw(), None, ptr::null_mut()) };
        }

        $(#[$last_death])*
        pub fn last_death(&self) -> Option<Death> {
            last_death(self)
        }

        /// Which thread holds it.  Takes no participant slot, and changes nothing.
        ///
        /// # Errors
        /// [`Corrupted`](super::ErrorKind::Corrupted): it was overwritten.
        pub fn state(&self) -> Result<LockState, Error> {
            // SAFETY: as above, and a place for the result.
            state_of(|state| unsafe { sys::fw_ipc_mutex_state(self.raw(), state) })
        }
    };
}
