//! Archives in and out. The fixtures were made by Python's `zipfile`, Info-ZIP's `zip`, and bytes changed afterwards: each
//! name says what is the matter with it.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "a native test with a time limit of its own")]

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vitrine_archive::{ArchiveError, Decode, Entry, Export, Import, Limits, ReaderAt, Refusal, Skipped};

fn fixture(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn open(bytes: &[u8]) -> Result<Import<&[u8]>, ArchiveError> {
    Import::open(bytes, bytes.len() as u64, &Limits::default(), &())
}

/// All files with their content, folders with none.
type Unpacked = Vec<(String, Option<Vec<u8>>)>;

fn unpack(bytes: &[u8]) -> Result<Unpacked, ArchiveError> {
    let import = open(bytes)?;
    let read = |(place, entry): (usize, &Entry)| match entry {
        Entry::Folder { path } => Ok((path.clone(), None)),
        Entry::File { path, .. } => Ok((path.clone(), Some(import.read(place)?))),
    };
    import.entries().iter().enumerate().map(read).collect()
}

fn text(path: &str, text: &str) -> (String, Option<Vec<u8>>) {
    (path.to_owned(), Some(text.as_bytes().to_vec()))
}

#[test]
fn what_other_tools_pack_is_unpacked() {
    let all_bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(
        unpack(&fixture("python.zip")).unwrap(),
        [
            ("docs".to_owned(), None),
            text("docs/a.txt", &"alpha\n".repeat(50)),
            ("docs/stored.bin".to_owned(), Some(all_bytes)),
            text("名字.md", "# 名字\n"),
            text("empty.txt", ""),
        ]
    );
    assert_eq!(
        unpack(&fixture("infozip.zip")).unwrap(),
        [
            ("sub".to_owned(), None),
            text("sub/one.txt", &"one\n".repeat(40)),
            ("sub/empty".to_owned(), None),
            text("ünï.txt", "u"),
        ]
    );
    // Sizes and checksum behind the bytes, as a tool writes that does not know them before.
    assert_eq!(unpack(&fixture("streamed.zip")).unwrap(), [text("-", &"one\n".repeat(40))]);
    assert_eq!(unpack(&fixture("backslash.zip")).unwrap(), [text("dir/a.txt", "a"), text("dir/sub/b.txt", "b")]);
    // Something before the archive, as in one that unpacks itself.
    assert_eq!(unpack(&fixture("prefixed.zip")).unwrap(), [text("a.txt", "a")]);
}

#[test]
fn times_are_read() {
    let times = |name| -> Vec<u64> {
        let bytes = fixture(name);
        let import = open(&bytes).unwrap();
        let time = |entry: &Entry| match entry {
            Entry::File { modified_ms, .. } => Some(*modified_ms),
            Entry::Folder { .. } => None,
        };
        import.entries().iter().filter_map(time).collect()
    };
    // 2026-05-04 03:02:00 on a clock of no zone; and a moment of UTC to the second.
    assert_eq!(times("python.zip")[0], 1_777_863_720_000);
    assert_eq!(times("infozip.zip")[0], 1_700_000_000_000);
}

#[test]
fn a_name_in_an_old_encoding_is_decoded_by_who_can() {
    struct Gbk;
    impl Decode for Gbk {
        fn decode(&self, bytes: &[u8]) -> Option<String> {
            (bytes == [0xc3, 0xfb, 0xd7, 0xd6, b'.', b't', b'x', b't']).then(|| "名字.txt".to_owned())
        }
    }
    let bytes = fixture("gbk.zip");
    let import = Import::open(&*bytes, bytes.len() as u64, &Limits::default(), &Gbk).unwrap();
    assert_eq!(import.entries()[0].path(), "名字.txt");
    assert_eq!(open(&bytes).unwrap().entries()[0].path(), "├√╫╓.txt");
}

#[test]
fn what_is_dangerous_is_refused_whole() {
    let refusals = [
        ("escape.zip", Refusal::Escapes("../../evil.txt".to_owned())),
        ("absolute.zip", Refusal::Escapes("/etc/evil.txt".to_owned())),
        ("backslash_escape.zip", Refusal::Escapes("dir\\..\\..\\evil.txt".to_owned())),
        ("twice.zip", Refusal::Twice("a.txt".to_owned())),
        ("file_and_folder.zip", Refusal::Twice("a".to_owned())),
        ("overlap.zip", Refusal::Overlaps("b.txt".to_owned())),
    ];
    for (name, expected) in refusals {
        match open(&fixture(name)) {
            Err(ArchiveError::Refused(refusal)) => assert_eq!(refusal, expected, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn limits_are_kept_before_anything_is_unpacked() {
    let refused = |name: &str, limits: Limits| {
        let bytes = fixture(name);
        match Import::open(&*bytes, bytes.len() as u64, &limits, &()) {
            Err(ArchiveError::Refused(refusal)) => refusal,
            other => panic!("{name}: {other:?}"),
        }
    };
    let bytes = 3 << 20;
    let small = Limits { file_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(refused("bomb.zip", small), Refusal::FileSize { path: "zeros.bin".to_owned(), bytes, limit: 1 << 20 });
    let full = Limits { total_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(refused("bomb.zip", full), Refusal::TotalSize { bytes, limit: 1 << 20 });
    let few = Limits { entries: 4, ..Limits::default() };
    assert_eq!(refused("python.zip", few), Refusal::Entries { count: 5, limit: 4 });
    // One that says fewer entries than it lists.
    assert_eq!(
        refused("count.zip", Limits { entries: 4, ..Limits::default() }),
        Refusal::Entries { count: 5, limit: 4 }
    );
    assert_eq!(refused("count.zip", Limits::default()), Refusal::Count { listed: 5, said: 3 });
}

#[test]
fn what_cannot_be_had_is_left_out_and_told() {
    let skipped = |name: &str| {
        let bytes = fixture(name);
        let import = open(&bytes).unwrap();
        let taken: Vec<_> = import.entries().iter().map(|entry| entry.path().to_owned()).collect();
        (
            taken,
            import
                .skipped()
                .iter()
                .map(|Skipped { path, reason }| format!("{path}: {}", reason.code()))
                .collect::<Vec<_>>(),
        )
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(skipped("link.zip"), (names(&["real.txt"]), names(&["link: link"])));
    assert_eq!(skipped("encrypted.zip"), (names(&[]), names(&["sub/one.txt: encrypted"])));
    assert_eq!(skipped("bzip2.zip"), (names(&["a.txt"]), names(&["b.txt: packing"])));
    assert_eq!(
        skipped("mac.zip"),
        (names(&["a.txt"]), names(&["__MACOSX/._a.txt: mac-metadata", ".DS_Store: mac-metadata"]))
    );
}

#[test]
fn damage_is_noticed() {
    for (name, path) in [("damaged.zip", "docs/stored.bin"), ("lies.zip", "zeros.bin")] {
        match unpack(&fixture(name)) {
            Err(ArchiveError::Damaged { path: damaged, .. }) => assert_eq!(damaged, path, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    let python = fixture("python.zip");
    for bytes in [&fixture("cut.zip"), &b"no archive"[..], &[], &python[python.len() / 2..]] {
        assert!(matches!(open(bytes), Err(ArchiveError::NotAnArchive(_))));
    }
    let whole = open(&python).unwrap();
    // A folder, and what is not there.
    assert!(matches!(whole.read(0), Err(ArchiveError::NoSuchFile(0))));
    assert!(matches!(whole.read(99), Err(ArchiveError::NoSuchFile(99))));
}

/// A source that fails after a number of reads, and counts them.
struct Failing<'a> {
    bytes: &'a [u8],
    reads_left: Cell<usize>,
}

impl ReaderAt for Failing<'_> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.reads_left.get().checked_sub(1).ok_or_else(|| io::Error::other("the disk was taken out"))?;
        self.reads_left.set(left);
        self.bytes.read_at(out, offset)
    }
}

#[test]
fn a_source_that_fails_is_an_error_at_each_of_its_reads() {
    let bytes = fixture("python.zip");
    for reads in 0.. {
        let source = Failing { bytes: &bytes, reads_left: Cell::new(reads) };
        let import = match Import::open(source, bytes.len() as u64, &Limits::default(), &()) {
            Ok(import) => import,
            Err(ArchiveError::Io(error)) => {
                assert_eq!(error.to_string(), "the disk was taken out");
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        match import.read(1) {
            Ok(content) => return assert_eq!(content, "alpha\n".repeat(50).as_bytes()),
            Err(error) => assert!(error.to_string().contains("the disk was taken out"), "{error}"),
        }
        assert!(reads < 20, "a small archive takes few reads");
    }
}

fn exported() -> Vec<u8> {
    let mut export = Export::new(Vec::new());
    export.folder("empty", 1_700_000_000_000).unwrap();
    export.file("名字/😀.txt", "text ".repeat(1000).as_bytes(), 1_700_000_000_000).unwrap();
    export.file("random.bin", &noise(5000), u64::MAX).unwrap();
    export.file("nothing", b"", 0).unwrap();
    export.finish().unwrap()
}

#[test]
fn what_goes_out_comes_in_again() {
    let bytes = exported();
    assert_eq!(
        unpack(&bytes).unwrap(),
        [
            ("empty".to_owned(), None),
            text("名字/😀.txt", &"text ".repeat(1000)),
            ("random.bin".to_owned(), Some(noise(5000))),
            text("nothing", ""),
        ]
    );
    let import = open(&bytes).unwrap();
    assert!(matches!(import.entries()[1], Entry::File { modified_ms: 1_700_000_000_000, .. }));
}

/// What repeats itself is packed, and shorter for it; what does not is as long as it was, also where only its beginning says so.
#[test]
fn what_gains_from_it_is_packed() {
    let text = "text ".repeat(40_000).into_bytes();
    let contents = [
        (text.clone(), true),
        (noise(200_000), false),
        (noise(300), false),
        (b"a".to_vec(), false),
        (Vec::new(), false),
        // It is tried at its beginning: what follows would have gained.
        ([noise(70_000), text.clone()].concat(), false),
        ([text, noise(70_000)].concat(), true),
    ];
    for (content, is_packed) in contents {
        let mut export = Export::new(Vec::new());
        export.file("f", &content, 0).unwrap();
        let bytes = export.finish().unwrap();
        assert_eq!(bytes.len() < content.len(), is_packed, "{} bytes became {}", content.len(), bytes.len());
        assert!(bytes.len() < content.len() + 200, "{} bytes became {}", content.len(), bytes.len());
        assert_eq!(unpack(&bytes).unwrap(), [("f".to_owned(), Some(content))]);
    }
}

/// Other tools read it: `unzip` tests every checksum, and ends with 1 when it has no more than a warning. Where there is
/// none, there is nothing to ask.
#[test]
fn other_tools_unpack_what_goes_out() {
    let file = std::env::temp_dir().join(format!("vitrine-archive-{}.zip", std::process::id()));
    fs::write(&file, exported()).unwrap();
    let tested = std::process::Command::new("unzip").arg("-tqq").arg(&file).output();
    fs::remove_file(&file).unwrap();
    if let Ok(tested) = tested {
        assert!(matches!(tested.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&tested.stdout));
    }
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 7;
    (0..bytes).map(|_| (next(&mut state) >> 32) as u8).collect()
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *state;
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Damaged archives: whatever the damage, there is an end and an answer, and no file is longer than was planned for.
/// `VITRINE_FUZZ_SECONDS` makes it longer, `VITRINE_FUZZ_SEED` another.
#[test]
fn damage_of_any_kind_has_an_outcome() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let until = Instant::now() + Duration::from_secs(number("VITRINE_FUZZ_SECONDS").unwrap_or(1));
    let mut state = number("VITRINE_FUZZ_SEED").unwrap_or(1);
    let mut archives: Vec<Vec<u8>> =
        fs::read_dir(folder()).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    archives.push(exported());
    archives.sort();
    let mut n_tried = 0_u64;
    while Instant::now() < until {
        n_tried += 1;
        let seed = state;
        let mut bytes = archives[(next(&mut state) as usize) % archives.len()].clone();
        for _ in 0..=next(&mut state) % 6 {
            let at = (next(&mut state) as usize) % bytes.len();
            match next(&mut state) % 4 {
                0 => bytes[at] = next(&mut state) as u8,
                1 => bytes[at] ^= 1 << (next(&mut state) % 8),
                2 => bytes.truncate(at.max(1)),
                _ => drop(bytes.splice(at..at, noise((next(&mut state) % 9) as usize))),
            }
        }
        let Ok(import) = open(&bytes) else { continue };
        for (place, entry) in import.entries().iter().enumerate() {
            let path = entry.path();
            assert!(
                !path.is_empty()
                    && !path.starts_with('/')
                    && path.split('/').all(|part| !matches!(part, "" | "." | "..")),
                "seed {seed}: {path:?}"
            );
            if let (Entry::File { bytes, .. }, Ok(content)) = (entry, import.read(place)) {
                assert_eq!(content.len() as u64, *bytes, "seed {seed}");
            }
        }
    }
    println!("{n_tried} damaged archives");
}
