// SPDX-License-Identifier: MIT
//! Processes use everything, by threads and by tasks, and are killed at random moments: the others
//! go on, nothing is lost.
//!
//! FURWOCK_STORM=N kills N times as many.

use std::time::Duration;

use furwock::ipc::{
    Barrier, BarrierMode, Condvar, Error, Guard, Holder, LockError, LockOptions, Mutex, Permits,
    Region, RwLock, Semaphore,
};

use crate::executor::block_on;
use crate::support::{region, Process, Random, Victim, PATIENCE};

const WORKERS: usize = 3;
const SUM: u64 = 400;

pub const VICTIMS: &[Victim] = &[
    ("storm 0", |region| work(region, 0)),
    ("storm 1", |region| work(region, 1)),
    ("storm 2", |region| work(region, 2)),
];

struct Objects {
    bank: Mutex<[u64; 4]>,
    pair: Mutex<[u64; 2]>,
    price: RwLock<[u64; 2]>,
    letters: Mutex<u64>,
    not_empty: Condvar,
    permits: Permits,
    phase: Barrier,
    steps: [Semaphore; WORKERS],
}

impl Objects {
    fn open(region: &Region) -> Result<Self, Error> {
        let journal = LockOptions::new().journal(256);
        let step = |i| Semaphore::open_or_create(region, &format!("steps {i}"), 0, Semaphore::MAX);
        let parties = WORKERS as u32;
        Ok(Self {
            bank: Mutex::open_or_create_with(region, "bank", &journal, [SUM / 4; 4])?,
            pair: Mutex::open_or_create(region, "pair", [50, 50])?,
            price: RwLock::open_or_create_with(region, "price", &journal, [100, 102])?,
            letters: Mutex::open_or_create(region, "letters", 0)?,
            not_empty: Condvar::open_or_create(region, "not empty")?,
            permits: Permits::open_or_create(region, "permits", 2)?,
            phase: Barrier::open_or_create(region, "phase", parties, BarrierMode::GoOn)?,
            steps: [step(0)?, step(1)?, step(2)?],
        })
    }

    fn transfer(&self, from: usize, to: usize, amount: u64) -> Result<(), Error> {
        let mut bank = self.bank.lock().map_err(LockError::into_error)?;
        Self::transfer_in(&mut bank, from, to, amount)
    }

    fn transfer_in<H: Holder>(
        bank: &mut Guard<'_, Mutex<[u64; 4]>, H>,
        from: usize,
        to: usize,
        amount: u64,
    ) -> Result<(), Error> {
        assert_eq!(bank.iter().sum::<u64>(), SUM, "money is neither made nor lost");
        let amount = amount.min(bank[from]);
        Guard::journaled(bank, |change| {
            *change.record(|bank| &mut bank[from])? -= amount;
            *change.record(|bank| &mut bank[to])? += amount;
            Ok(())
        })
    }

    fn repaired_pair(&self, value: u64) -> Result<(), Error> {
        let mut pair = self.pair.lock_or_repair(|pair, death| {
            assert!(death.is_some());
            pair[1] = 100 - pair[0];
        })?;
        assert_eq!(pair[0] + pair[1], 100);
        pair[0] = value;
        pair[1] = 100 - value;
        Ok(())
    }

    fn quote(&self, value: u64) -> Result<(), Error> {
        {
            let price = self.price.read()?;
            assert_eq!(price[0] + 2, price[1]);
        }
        let mut price = self.price.write().map_err(|error| error.into_error())?;
        price[0] = value;
        price[1] = value + 2;
        Ok(())
    }

    /// The same, and a permit, by a task.
    async fn transfer_and_quote(&self, from: usize, to: usize, amount: u64) -> Result<(), Error> {
        let permit = self.permits.acquire_async().await?;
        {
            let mut bank = self.bank.lock_async().await.map_err(LockError::into_error)?;
            Self::transfer_in(&mut bank, from, to, amount)?;
        }
        {
            let price = self.price.read_async().await?;
            assert_eq!(price[0] + 2, price[1]);
        }
        let mut price = self.price.write_async().await.map_err(LockError::into_error)?;
        price[0] = amount;
        price[1] = amount + 2;
        permit.release()
    }

    fn mail(&self, is_sender: bool) -> Result<(), Error> {
        const LIMIT: Duration = Duration::from_millis(1);
        let mut letters = self.letters.lock_or_repair(|_, _| ())?;
        if is_sender {
            *letters += 1;
            return self.not_empty.notify_one();
        }
        let result = self.not_empty.wait_while_for(letters, LIMIT, |letters| *letters == 0);
        if let Ok((mut letters, false)) = result {
            *letters -= 1;
        } else if let Err(furwock::ipc::LockError::OwnerDied(died)) = result {
            drop(died.into_inner().map_err(|error| error.into_error())?);
        }
        Ok(())
    }
}

fn work(region: &Region, me: usize) {
    let objects = Objects::open(region).unwrap();
    let mut random = Random(me as u64 + 1 + u64::from(std::process::id()) * 8);
    loop {
        let (from, to) = (random.below(4), random.below(4));
        objects.transfer(from as usize, to as usize, random.below(100)).unwrap();
        let amount = random.below(100);
        block_on(objects.transfer_and_quote(to as usize, from as usize, amount)).unwrap();
        objects.repaired_pair(random.below(100)).unwrap();
        objects.quote(random.below(1000)).unwrap();
        objects.mail(random.below(2) == 0).unwrap();
        drop(objects.permits.acquire().unwrap());
        let _ = objects.phase.wait_for(Duration::from_micros(200)); // others may not arrive
        objects.steps[me].release(1).unwrap();
    }
}

/// Each of the others goes on, in three whole steps.
fn expect_progress(objects: &Objects, but: usize) {
    for (i, steps) in objects.steps.iter().enumerate().filter(|(i, _)| *i != but) {
        for _ in 0..steps.value() + 3 {
            assert!(steps.try_acquire_for(PATIENCE).unwrap(), "worker {i} hangs");
        }
    }
}

#[test]
fn any_of_them_may_be_killed_at_any_time() {
    let times = std::env::var("FURWOCK_STORM").map_or(1, |n| n.parse().expect("a number"));
    let kills: u32 = 40 * times;
    let (name, region) = region();
    let objects = Objects::open(&region).unwrap();
    let start = |i| Process::spawn(&format!("storm {i}"), &name);
    let mut workers: Vec<Process> = (0..WORKERS).map(start).collect();
    let mut random = Random(u64::from(std::process::id()));
    for _ in 0..kills {
        let victim = random.below(WORKERS as u64) as usize;
        expect_progress(&objects, WORKERS); // all are at work
        std::thread::sleep(Duration::from_micros(random.below(3000))); // then, at any moment:
        workers.swap_remove(victim).kill();
        expect_progress(&objects, victim); // before another one can help
        assert!(!workers.iter_mut().any(Process::has_ended), "a worker has failed");
        workers.push(start(victim));
        let last = workers.len() - 1;
        workers.swap(victim, last);
    }
    for worker in workers {
        worker.kill();
    }
    let bank = objects.bank.lock().unwrap();
    assert_eq!(bank.iter().sum::<u64>(), SUM);
    assert_eq!(objects.permits.available(), 2, "all permits are back");
}
