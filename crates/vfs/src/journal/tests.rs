//! The bytes of the format, computed apart from this crate, and bytes that nobody wrote.

use futures_util::FutureExt;

use crate::backend::{Backend, Log};
use crate::checksum;
use crate::conformance::contents;
use crate::journal::{Journal, Scan, Tail, scan};
use crate::memory::MemoryBackend;
use crate::operation::Operation;
use crate::path::WorkspacePath;

const HEADER: &str = "56495452494e454a 01000000 9b3a413e";
const BASE: &str = "05000000 0800000000000000 caaa9330 69df2265 0000000000000000";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn open(backend: &MemoryBackend) -> Box<dyn Log> {
    backend.open("log").now_or_never().unwrap().unwrap()
}

/// Checksums are those of Python's zlib.
#[test]
fn the_format_is_what_the_documentation_says() {
    let write =
        |text: &str, contents: &str| Operation::Write { path: path(text), contents: contents.as_bytes().into() };
    let batches = [
        (vec![write("a/b", "hi")], "01000300 0200000000000000 7e366249 95313848 612f62 6869"),
        (vec![Operation::MakeFolder(path("c"))], "02000100 0000000000000000 ce332c78 6fdfb906 63"),
        (
            vec![Operation::Rename { from: path("c"), to: path("é") }],
            "04000100 0200000000000000 539134d5 aa330dfa 63 c3a9",
        ),
        (
            vec![write("x", "1"), write("y", "")],
            "01010100 0100000000000000 603e9602 3be1e1f7 78 31  01000100 0000000000000000 3ee1b20f 1526dbfb 79",
        ),
        (vec![Operation::Remove(path("a"))], "03000100 0000000000000000 a17f89e3 43beb7e8 61"),
    ];
    let backend = MemoryBackend::new();
    let mut journal = Journal::begin(open(&backend), &[], 0).unwrap();
    let mut expected = bytes(&format!("{HEADER}{BASE}"));
    for (batch, hex) in &batches {
        journal.append(batch).unwrap();
        expected.extend(bytes(hex));
        assert_eq!(journal.length(), expected.len() as u64);
    }
    drop(journal);
    let log = open(&backend);
    assert_eq!(contents(&*log).unwrap(), expected);

    let mut read = Vec::new();
    let found = scan(&*log, |batch| {
        read.push(batch);
        true
    });
    let good_length = expected.len() as u64;
    assert_eq!(found, Ok(Scan { base: Some(0), good_length, dropped_bytes: 0, tail: Tail::Clean }));
    let written: Vec<_> = batches.into_iter().map(|(batch, _)| batch).collect();
    assert_eq!(read, [vec![vec![]], written].concat());
}

/// A record with right checksums and a body of its own making.
fn record(head: [u8; 4], n_data: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.extend(n_data.to_le_bytes());
    let checksum = checksum::of(&[&bytes]);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(checksum::of(&[body]).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Nothing here may panic or allocate what a length claims.
#[test]
fn records_with_right_checksums_and_wrong_contents_end_the_reading() {
    let cases: [(&str, Vec<u8>, Tail); 12] = [
        ("a terabyte of data", record([1, 0, 1, 0], 1 << 40, b"a"), Tail::Torn),
        ("more than there can be", record([1, 0, 1, 0], u64::MAX, b"a"), Tail::Damaged),
        ("a path beyond the end", record([1, 0, 0xff, 0xff], 0, b"a"), Tail::Torn),
        ("an unknown kind", record([9, 0, 1, 0], 0, b"a"), Tail::Damaged),
        ("an unknown flag", record([1, 2, 1, 0], 0, b"a"), Tail::Damaged),
        ("a path that climbs out", record([1, 0, 5, 0], 0, b"../..x"), Tail::Damaged),
        ("a path not in its own spelling", record([1, 0, 2, 0], 0, b"/a"), Tail::Damaged),
        ("a path that is no UTF-8", record([1, 0, 1, 0], 0, b"\xff"), Tail::Damaged),
        ("a rename to nowhere", record([4, 0, 1, 0], 2, b"a.."), Tail::Damaged),
        ("a short checkpoint", record([5, 0, 0, 0], 3, b"123"), Tail::Damaged),
        ("a second checkpoint", record([5, 0, 0, 0], 8, b"12345678"), Tail::Damaged),
        ("zeros, as after a crash of the machine", vec![0; 64], Tail::Damaged),
    ];
    for (rule, record, tail) in cases {
        let mut stored = bytes(&format!("{HEADER}{BASE}"));
        stored.extend(&record);
        let backend = MemoryBackend::new();
        backend.set_bytes("log", stored);
        let found = scan(&*open(&backend), |_| true);
        let expected = Scan { base: Some(0), good_length: 44, dropped_bytes: record.len() as u64, tail };
        assert_eq!(found, Ok(expected), "{rule}");
    }
}

#[test]
fn contents_of_any_size_come_back() {
    for n_bytes in [0, 1, 65_535, 65_536, 65_537, 1_000_003] {
        let contents: Vec<u8> = (0..n_bytes).map(|at: u32| (at % 253) as u8).collect();
        let small = |text: &str| Operation::Write { path: path(text), contents: (*b"small").into() };
        let large = Operation::Write { path: path("large"), contents: contents.into() };
        let batch = vec![small("before"), large, small("after")];
        let backend = MemoryBackend::new();
        Journal::begin(open(&backend), &batch, 7).unwrap().append(&batch).unwrap();
        let mut read = Vec::new();
        let found = scan(&*open(&backend), |batch| {
            read.push(batch);
            true
        });
        assert_eq!(found.map(|found| (found.base, found.tail)), Ok((Some(7), Tail::Clean)), "{n_bytes}");
        assert!(read == [batch.clone(), batch], "{n_bytes}");
    }
}
