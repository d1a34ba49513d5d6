//! What every [`Backend`] has to do, as one suite that runs against each of them.

use crate::backend::{Backend, BackendError, Log};

/// A rule of the port that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Something else was found than the port says.
    #[error("{rule}: found {found}, expected {expected}")]
    Rule {
        /// In words.
        rule: &'static str,
        /// As `Debug` shows it.
        found: String,
        /// As `Debug` shows it.
        expected: String,
    },
    /// A call failed that has to work.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// Runs the suite. The backend has to be empty, and is empty again if all is well.
pub async fn conformance(backend: &dyn Backend) -> Result<(), Broken> {
    check(backend.list().await, Ok(vec![]), "a new backend has no logs")?;
    logs_keep_bytes(backend).await?;
    logs_are_exclusive(backend).await?;
    names_are_kept(backend).await?;
    replacing_is_whole(backend).await?;
    check(backend.list().await, Ok(vec![]), "all logs can be removed")
}

async fn logs_keep_bytes(backend: &dyn Backend) -> Result<(), Broken> {
    let mut log = backend.open("bytes").await?;
    check(log.len()?, 0, "a new log is empty")?;
    check(log.read(0, &mut [0; 4])?, 0, "reading an empty log finds nothing")?;
    log.append(b"hello")?;
    log.append(b"")?;
    log.append(b" world")?;
    log.flush()?;
    log.flush()?;
    check(contents(&*log)?, b"hello world".to_vec(), "appends follow one another")?;

    let mut buffer = *b"........";
    check(log.read(6, &mut buffer)?, 5, "a read at the end is short")?;
    check(buffer, *b"world...", "and leaves the rest of the buffer")?;
    check(log.read(11, &mut buffer)?, 0, "at the end nothing is read")?;
    check(log.read(1 << 40, &mut buffer)?, 0, "nor far behind it")?;

    drop(log);
    let mut log = backend.open("bytes").await?;
    check(contents(&*log)?, b"hello world".to_vec(), "bytes survive closing")?;
    log.truncate(5)?;
    log.truncate(100)?;
    check(contents(&*log)?, b"hello".to_vec(), "truncation cuts and never extends")?;
    log.append(b"!")?;
    check(contents(&*log)?, b"hello!".to_vec(), "after it appends go to the new end")?;
    log.truncate(0)?;
    let large: Vec<u8> = (0..3_000_001_u32).map(|at| (at % 251) as u8).collect();
    log.append(&large)?;
    check(contents(&*log)? == large, true, "three megabytes in one append")?;
    drop(log);
    Ok(backend.remove("bytes").await?)
}

async fn logs_are_exclusive(backend: &dyn Backend) -> Result<(), Broken> {
    let locked = || Err(BackendError::LockedElsewhere { name: "one".into() });
    let mut log = backend.open("one").await?;
    log.append(b"1")?;
    check(backend.open("one").await.map(|_| ()), locked(), "an open log cannot be opened again")?;
    check(backend.remove("one").await, locked(), "nor be removed")?;
    check(backend.replace("one", "other").await, locked(), "nor renamed")?;
    let other = backend.open("other").await?;
    drop(other);
    check(backend.replace("other", "one").await, locked(), "nor replaced")?;
    log.append(b"2")?;
    check(contents(&*log)?, b"12".to_vec(), "and it goes on unharmed")?;
    drop(log);
    check(contents(&*backend.open("one").await?)?, b"12".to_vec(), "closing frees it at once")?;
    backend.remove("one").await?;
    backend.remove("other").await?;
    check(backend.remove("one").await, Ok(()), "removing a missing log is no error")
}

/// Case e17: the names that file systems and browsers stumble over.
async fn names_are_kept(backend: &dyn Backend) -> Result<(), Broken> {
    let long = "x".repeat(80);
    let mut names: Vec<&str> = vec![
        "a\u{200b}b.txt",
        "ends.",
        " starts",
        "ends ",
        "CON",
        "a:b",
        "..",
        ".",
        "%",
        "%2e",
        "a%b",
        "A.txt",
        "a.txt",
        "é",
        "e\u{301}",
        "工作区",
        "a\\b",
        "a?*<>|\"",
        "\u{1f600}",
        "line\nbreak",
        "x.crswap",
        "~x",
        &long,
    ];
    names.sort_unstable();
    for name in &names {
        backend.open(name).await?.append(name.as_bytes())?;
    }
    let listed = backend.list().await?;
    check(listed.iter().map(String::as_str).collect::<Vec<_>>(), names.clone(), "names are listed as given, sorted")?;
    for name in &names {
        check(contents(&*backend.open(name).await?)?, name.as_bytes().to_vec(), "each name has its own log")?;
        backend.remove(name).await?;
    }
    for name in ["", "a/b"] {
        let refused = Err(BackendError::NameRefused { name: name.into() });
        check(backend.open(name).await.map(|_| ()), refused, "no name and a slash are refused")?;
    }
    Ok(())
}

async fn replacing_is_whole(backend: &dyn Backend) -> Result<(), Broken> {
    backend.open("old").await?.append(b"old and longer")?;
    backend.open("new").await?.append(b"new")?;
    backend.replace("new", "old").await?;
    check(backend.list().await?, vec!["old".to_owned()], "the replacement is gone from its own name")?;
    check(contents(&*backend.open("old").await?)?, b"new".to_vec(), "and has the other, without the old tail")?;
    backend.replace("old", "fresh").await?;
    check(backend.list().await?, vec!["fresh".to_owned()], "the place may be empty")?;
    let missing = Err(BackendError::NotFound { name: "nothing".into() });
    check(backend.replace("nothing", "fresh").await, missing, "a missing log replaces nothing")?;
    check(contents(&*backend.open("fresh").await?)?, b"new".to_vec(), "and harms nothing")?;
    Ok(backend.remove("fresh").await?)
}

/// All bytes of a log.
pub fn contents(log: &dyn Log) -> Result<Vec<u8>, BackendError> {
    let mut bytes = vec![0; usize::try_from(log.len()?).unwrap_or(0)];
    let n_read = log.read(0, &mut bytes)?;
    bytes.truncate(n_read);
    Ok(bytes)
}

#[expect(clippy::needless_pass_by_value, reason = "both sides are made for the comparison")]
fn check<T: PartialEq + std::fmt::Debug>(found: T, expected: T, rule: &'static str) -> Result<(), Broken> {
    if found == expected {
        return Ok(());
    }
    Err(Broken::Rule { rule, found: format!("{found:?}"), expected: format!("{expected:?}") })
}
