// SPDX-License-Identifier: MIT
//! The job table in Rust.
//!
//!     job-table create|work|hold|close|audit REGION [SLOT]

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Release};
use std::thread::sleep;
use std::time::Duration;

use furwock::ipc::{ErrorKind, Mutex, MutexGuard, Region};

/// The number of a `#define JOB_TABLE_...` in job_table.h.
const fn layout(name: &str) -> usize {
    let (text, name) = (include_bytes!("job_table.h"), name.as_bytes());
    const START: &[u8] = b"\n#define JOB_TABLE_";
    let mut at = 0;
    while at + START.len() + name.len() < text.len() {
        if has_at(text, at, START) && has_at(text, at + START.len(), name) {
            let end = at + START.len() + name.len();
            if text[end] == b' ' {
                return number_at(text, end + 1);
            }
        }
        at += 1;
    }
    panic!("job_table.h has no such number")
}

const fn has_at(text: &[u8], at: usize, part: &[u8]) -> bool {
    let mut i = 0;
    while i < part.len() {
        if at + i >= text.len() || text[at + i] != part[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn number_at(text: &[u8], mut at: usize) -> usize {
    let mut number = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        number = number * 10 + (text[at] - b'0') as usize;
        at += 1;
    }
    number
}

const WORDS: usize = layout("WORDS");
const CLOSED: usize = layout("CLOSED");
const DEATHS: usize = layout("DEATHS");
const PUT_BACK: usize = layout("PUT_BACK");
const COUNTS: usize = layout("COUNTS");
const STEPS: usize = layout("STEPS");
const SLOTS: usize = layout("SLOTS");
const JOBS_AT: usize = layout("JOBS_AT");
const JOBS: usize = layout("JOBS");
const READY: u64 = layout("READY") as u64;
const RUNNING: u64 = layout("RUNNING") as u64;
const DONE: u64 = layout("DONE") as u64;
const SLOT_SHIFT: usize = layout("SLOT_SHIFT");
const ROUND_SHIFT: usize = layout("ROUND_SHIFT");
const FACTOR: u64 = layout("FACTOR") as u64;
const PAUSE: Duration = Duration::from_micros(layout("WORK_US") as u64);

const _: () = assert!(JOBS_AT + 2 * JOBS == WORDS, "the jobs come last");

type Failure = Box<dyn Error>;
type Words = [u64; WORDS];

fn word(round: u64, slot: usize, state: u64) -> u64 {
    round << ROUND_SHIFT | (slot as u64) << SLOT_SHIFT | state
}

fn place(job: usize) -> usize {
    JOBS_AT + 2 * job
}

fn state(words: &Words, job: usize) -> u64 {
    words[place(job)] & 0xff
}

fn slot(words: &Words, job: usize) -> usize {
    (words[place(job)] >> SLOT_SHIFT & 0xff) as usize
}

fn round(words: &Words, job: usize) -> u64 {
    words[place(job)] >> ROUND_SHIFT
}

fn result(words: &Words, job: usize) -> u64 {
    job as u64 * FACTOR + round(words, job)
}

fn counted(words: &Words) -> [u64; 3] {
    let mut counts = [0; 3];
    for job in 0..JOBS {
        counts[state(words, job) as usize] += 1; // a panic: a job in no state
    }
    counts
}

fn set(words: &mut Words, job: usize, now: u64) {
    words[COUNTS + state(words, job) as usize] -= 1;
    // SAFETY: an element of the array that is borrowed.
    let atomic = unsafe { AtomicU64::from_ptr(&mut words[place(job)]) };
    atomic.store(now, Release); // in one piece, after the result
    words[COUNTS + state(words, job) as usize] += 1;
}

fn find(words: &Words, wanted: u64) -> Option<usize> {
    (0..JOBS).find(|job| state(words, *job) == wanted)
}

fn check_result(words: &Words, job: usize) -> Result<(), Failure> {
    match words[place(job) + 1] == result(words, job) {
        true => Ok(()),
        false => Err(format!("job {job} has a wrong result").into()),
    }
}

struct Table {
    words: Mutex<Words>,
    slots: Vec<Mutex<u64>>, // of which only the locks are used
}

impl Table {
    fn open(name: &str, create: bool) -> Result<Self, Failure> {
        let options = Region::options().create(create).size(layout("REGION_SIZE"));
        // SAFETY: its other users are these programs, which change the table with its mutex only.
        let region = unsafe { options.open(name) }?;
        let words = match create {
            true => Mutex::open_or_create(&region, "jobs", [0; WORDS])?,
            false => Mutex::open(&region, "jobs")?,
        };
        let slot = |i| Mutex::open_or_create(&region, &format!("slot {i}"), 0);
        Ok(Self {
            words,
            slots: (0..SLOTS).map(slot).collect::<Result<_, _>>()?,
        })
    }

    fn lock(&self) -> Result<MutexGuard<'_, Words>, furwock::ipc::Error> {
        self.words.lock_or_repair(|words, _death| {
            let counts = counted(words);
            words[COUNTS..COUNTS + 3].copy_from_slice(&counts);
            words[DEATHS] += 1;
        })
    }

    fn take_slot(&self, slot: usize) -> Result<Option<MutexGuard<'_, u64>>, Failure> {
        match self.slots[slot].try_lock() {
            Ok(guard) => Ok(Some(guard)),
            Err(furwock::ipc::LockError::OwnerDied(died)) => {
                Ok(Some(died.into_inner().map_err(|error| error.into_error())?))
            }
            Err(error) => match error.into_error() {
                error if error.kind() == ErrorKind::WouldBlock => Ok(None),
                error => Err(error.into()),
            },
        }
    }

    fn put_back_of_the_dead(&self, words: &mut Words, my_slot: usize) -> Result<(), Failure> {
        for slot in (0..SLOTS).filter(|slot| *slot != my_slot) {
            if let Some(_slot) = self.take_slot(slot)? {
                put_back(words, slot);
            }
        }
        Ok(())
    }

    fn work(&self, my_slot: usize) -> Result<(), Failure> {
        let mut words = self.lock()?;
        let _slot = self.take_slot(my_slot)?.ok_or("the slot is taken")?;
        put_back(&mut words, my_slot);
        drop(words);
        loop {
            let mut words = self.lock()?;
            if words[CLOSED] != 0 && words[COUNTS + DONE as usize] == JOBS as u64 {
                return Ok(());
            }
            let begun = self.begin(&mut words, my_slot)?;
            drop(words);
            sleep(PAUSE);
            if let Some((job, mine)) = begun {
                end(&mut *self.lock()?, job, mine, my_slot)?;
            }
        }
    }

    /// A job to run, and its word.
    fn begin(&self, words: &mut Words, slot: usize) -> Result<Option<(usize, u64)>, Failure> {
        let mut job = find(words, READY);
        if job.is_none() && words[CLOSED] == 0 {
            job = find(words, DONE);
            if let Some(job) = job {
                check_result(words, job)?;
                set(words, job, word(round(words, job) + 1, 0, READY));
            }
        }
        let Some(job) = job else {
            self.put_back_of_the_dead(words, slot)?;
            return Ok(None);
        };
        let mine = word(round(words, job), slot, RUNNING);
        set(words, job, mine);
        Ok(Some((job, mine)))
    }

    /// Leaves a wrong count behind: for whoever kills this process.
    fn hold(&self) -> Result<(), Failure> {
        let mut words = self.lock()?;
        words[COUNTS + DONE as usize] += 1000;
        println!("held");
        loop {
            std::thread::park();
        }
    }

    /// Every job is in one state, each count is right, and each result.
    fn audit(&self) -> Result<(), Failure> {
        let words = self.lock()?;
        let counts = counted(&words);
        if words[COUNTS..COUNTS + 3] != counts {
            return Err("the counts are wrong".into());
        }
        for job in (0..JOBS).filter(|job| state(&words, *job) == DONE) {
            check_result(&words, job)?;
        }
        let rounds: u64 = (0..JOBS).map(|job| round(&words, job)).sum();
        let [ready, running, done] = counts;
        print!(
            "rounds {rounds} deaths {} put_back {}",
            words[DEATHS], words[PUT_BACK]
        );
        print!(" ready {ready} running {running} done {done} steps");
        words[STEPS..STEPS + SLOTS]
            .iter()
            .for_each(|steps| print!(" {steps}"));
        println!();
        Ok(())
    }
}

/// For whoever holds that slot: its last worker is dead.
fn put_back(words: &mut Words, of_slot: usize) {
    for job in 0..JOBS {
        if state(words, job) == RUNNING && slot(words, job) == of_slot {
            set(words, job, word(round(words, job), 0, READY));
            words[PUT_BACK] += 1;
        }
    }
}

fn end(words: &mut Words, job: usize, mine: u64, slot: usize) -> Result<(), Failure> {
    if words[place(job)] != mine {
        return Err("a job was taken from a living worker".into());
    }
    words[place(job) + 1] = result(words, job);
    set(words, job, word(round(words, job), slot, DONE));
    words[STEPS + slot] += 1;
    Ok(())
}

fn run(arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        ["create", name] => {
            let table = Table::open(name, true)?;
            let mut words = table.lock()?;
            let counts = counted(&words);
            words[COUNTS..COUNTS + 3].copy_from_slice(&counts);
            Ok(())
        }
        ["work", name, slot] => Table::open(name, false)?.work(slot.parse::<usize>()? % SLOTS),
        ["close", name] => {
            Table::open(name, false)?.lock()?[CLOSED] = 1;
            Ok(())
        }
        ["hold", name] => Table::open(name, false)?.hold(),
        ["audit", name] => Table::open(name, false)?.audit(),
        _ => Err("usage: job-table create|work|hold|close|audit REGION [SLOT]".into()),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("job_table.rs: {error}");
            ExitCode::FAILURE
        }
    }
}
