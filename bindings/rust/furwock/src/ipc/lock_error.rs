// SPDX-License-Identifier: MIT
//! Why a lock call did not simply succeed.  Some of these hold the lock.

use std::fmt;

use super::error::{errno, Death, Error, ErrorKind};
use super::guard::{Exclusive, Guard};
use super::holder::Holder;

/// Why a lock was not simply taken.
///
/// The first three variants *have* taken it: they contain the guard, and say what has to be done
/// before it can be used.  Dropping one gives the lock up as it says there.
#[must_use = "some of these hold the lock"]
#[non_exhaustive]
pub enum LockError<G> {
    /// Taken; its previous owner died, and the data may be half changed.
    OwnerDied(OwnerDied<G>),
    /// Taken; the bytes are no valid value of the type.
    Invalid(InvalidData<G>),
    /// Taken; a panic has left the data half changed.
    Poisoned(Poisoned<G>),
    /// Another thread, or this one, holds it.
    WouldBlock,
    /// Not taken in time.
    TimedOut,
    /// The calling thread holds it already.
    Deadlock,
    /// A dead owner's data were not repaired: the lock is unusable for good.
    NotRecoverable,
    /// The lock, or its journal, has been overwritten.
    Corrupted,
    /// The region has no participant slot left for another thread.
    NoSlot,
    /// Something else.
    Other(Error),
}

impl<G> LockError<G> {
    pub(super) fn of(number: i32, during: &'static str) -> Self {
        match number {
            errno::EBUSY => Self::WouldBlock,
            errno::ETIMEDOUT => Self::TimedOut,
            errno::EDEADLK => Self::Deadlock,
            errno::ENOTRECOVERABLE => Self::NotRecoverable,
            errno::EUCLEAN => Self::Corrupted,
            errno::EAGAIN => Self::NoSlot,
            _ => Self::Other(Error::new(number, during)),
        }
    }

    /// Its kind; the lock is given up if this holds it.
    pub fn into_error(self) -> Error {
        const DURING: &str = "lock";
        let number = match self {
            Self::OwnerDied(_) => errno::EOWNERDEAD,
            Self::Invalid(_) => errno::EBADMSG,
            Self::Poisoned(_) => return Error::of_kind(ErrorKind::Poisoned, DURING),
            Self::WouldBlock => errno::EBUSY,
            Self::TimedOut => errno::ETIMEDOUT,
            Self::Deadlock => errno::EDEADLK,
            Self::NotRecoverable => errno::ENOTRECOVERABLE,
            Self::Corrupted => errno::EUCLEAN,
            Self::NoSlot => errno::EAGAIN,
            Self::Other(error) => return error,
        };
        Error::new(number, DURING)
    }

    fn text(&self) -> &'static str {
        match self {
            Self::OwnerDied(_) => "the owner of the lock died, and its data may be half changed",
            Self::Invalid(_) => "the bytes under the lock are no valid value of the type",
            Self::Poisoned(_) => "a panic has left the data under the lock half changed",
            Self::WouldBlock => "the lock is held",
            Self::TimedOut => "the lock was not to be had in time",
            Self::Deadlock => "the thread holds the lock already",
            Self::NotRecoverable => "the lock is unusable: a dead owner's data were not repaired",
            Self::Corrupted => "the lock or its journal has been overwritten",
            Self::NoSlot => "the region has no participant slot left for another thread",
            Self::Other(_) => "the lock failed",
        }
    }
}

impl<G> fmt::Debug for LockError<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LockError({self})")
    }
}

impl<G> fmt::Display for LockError<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnerDied(o) => write!(f, "{}: {}", self.text(), o.death),
            Self::Other(error) => error.fmt(f),
            _ => f.write_str(self.text()),
        }
    }
}

impl<G> std::error::Error for LockError<G> {}

/// A lock whose previous owner died, and which is held now.
///
/// Repair the data, and get the guard.  If this is dropped instead, the lock becomes unusable for
/// all processes, for good ([`LockError::NotRecoverable`]), since nobody knows what the data are.
#[must_use = "dropping this makes the lock unusable for all processes"]
pub struct OwnerDied<G> {
    pub(super) guard: G,
    pub(super) death: Death,
}

impl<'a, L: Exclusive, H: Holder> OwnerDied<Guard<'a, L, H>> {
    /// Who died, and in which acquisition of the lock.
    pub fn death(&self) -> Death {
        self.death
    }

    /// Lets `repair` make the data consistent, declares them so, and returns the guard.  If the
    /// process dies meanwhile, the next owner gets this error again; if `repair` panics, the lock
    /// becomes unusable.
    ///
    /// # Errors
    /// [`LockError::Invalid`]: the bytes are no valid value, and `repair` was not called.
    pub fn repair(
        self,
        repair: impl FnOnce(&mut L::Data, &Death),
    ) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
        let Self { guard, death } = self;
        if L::with(guard.lock.data(), |data| repair(data, &death)).is_none() {
            return Err(LockError::Invalid(InvalidData { guard, death: Some(death) }));
        }
        consistent(guard)?.repaired()
    }

    /// Replaces the data, whatever they are, and returns the guard.
    ///
    /// # Errors
    /// If the lock was overwritten meanwhile.
    pub fn replace(self, value: L::Data) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
        L::replace(self.guard.lock.data(), value);
        consistent(self.guard)?.repaired()
    }

    /// Declares the data consistent as they are, and returns the guard.
    ///
    /// # Errors
    /// As for [`repair`](Self::repair).
    pub fn into_inner(self) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
        self.repair(|_, _| ())
    }
}

impl<'a, L: Exclusive, H: Holder> Guard<'a, L, H> {
    /// After a repair of all data, which a panic can have left as well.
    fn repaired(self) -> Result<Self, LockError<Self>> {
        self.lock.set_poisoned(false);
        self.checked(None)
    }
}

fn consistent<'a, L: Exclusive, H: Holder>(
    guard: Guard<'a, L, H>,
) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
    match guard.holder.consistent(guard.lock) {
        0 => Ok(guard),
        number => Err(LockError::of(number, "declare the data consistent")),
    }
}

/// A lock that is held, and bytes that are no valid value of its type.
///
/// Dropping this releases the lock, and leaves the bytes for the next one to see; or, if an owner
/// died, makes the lock unusable.
#[must_use = "this holds the lock"]
pub struct InvalidData<G> {
    pub(super) guard: G,
    pub(super) death: Option<Death>,
}

impl<'a, L: Exclusive, H: Holder> InvalidData<Guard<'a, L, H>> {
    /// The owner that died before, if one has.
    pub fn death(&self) -> Option<Death> {
        self.death
    }

    /// Replaces the data, and returns the guard.
    ///
    /// # Errors
    /// If the lock was overwritten meanwhile.
    pub fn replace(self, value: L::Data) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
        L::replace(self.guard.lock.data(), value);
        match self.death {
            Some(_) => consistent(self.guard)?.repaired(),
            None => self.guard.repaired(),
        }
    }
}

/// A lock that is held, and data that a panic has left half changed.
///
/// Dropping this releases the lock, and leaves it poisoned.
#[must_use = "this holds the lock"]
pub struct Poisoned<G> {
    pub(super) guard: G,
}

impl<'a, L: Exclusive, H: Holder> Poisoned<Guard<'a, L, H>> {
    /// Lets `repair` make the data consistent, clears the poison, and returns the guard.
    ///
    /// # Errors
    /// [`LockError::Invalid`]: the bytes are no valid value.
    pub fn repair(
        self,
        repair: impl FnOnce(&mut L::Data),
    ) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
        match L::with(self.guard.lock.data(), repair) {
            Some(()) => self.guard.repaired(),
            None => Err(LockError::Invalid(InvalidData { guard: self.guard, death: None })),
        }
    }

    /// Clears the poison, and returns the guard.
    ///
    /// # Errors
    /// As for [`repair`](Self::repair).
    pub fn into_inner(self) -> Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>> {
        self.repair(|_| ())
    }
}

macro_rules! opaque_debug {
    ($($name:ident)*) => {$(
        impl<G> fmt::Debug for $name<G> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

opaque_debug!(OwnerDied InvalidData Poisoned);

/// Takes what a lock call has returned, and repairs the data of a dead owner, or of a panic.
pub(super) fn repaired<'a, L: Exclusive, H: Holder>(
    result: Result<Guard<'a, L, H>, LockError<Guard<'a, L, H>>>,
    repair: impl FnOnce(&mut L::Data, Option<&Death>),
) -> Result<Guard<'a, L, H>, Error> {
    let result = match result {
        Err(LockError::OwnerDied(died)) => died.repair(|data, death| repair(data, Some(death))),
        Err(LockError::Poisoned(poisoned)) => poisoned.repair(|data| repair(data, None)),
        other => other,
    };
    result.map_err(LockError::into_error)
}
