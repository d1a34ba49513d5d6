//! The bytes of the format, computed apart from this crate, and bytes that nobody wrote.

use futures_util::FutureExt;

use crate::backend::{Backend, Log};
use crate::checksum;
use crate::conformance::contents;
use crate::journal::head::Head;
use crate::journal::{
    BaseState, Batch, DamageKind, Format, Item, Journal, N_HEADERS, Place, RecordKind, Scan, Tail, scan,
};
use crate::memory::MemoryBackend;
use crate::operation::Operation;
use crate::patch::Patch;
use crate::path::WorkspacePath;

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

fn read(stored: &[u8]) -> (Scan, Vec<Item>) {
    let backend = MemoryBackend::new();
    backend.set_bytes("log", stored.to_vec());
    let mut items = Vec::new();
    let found = scan(&*open(&backend), &mut |item| items.push(item)).unwrap();
    (found, items)
}

fn write(text: &str, contents: &str, modified_ms: u64) -> Operation {
    Operation::Write { path: path(text), contents: contents.as_bytes().into(), modified_ms }
}

fn batch(snapshot: u64, operations: Vec<Operation>) -> Item {
    Item::Batch(Batch { snapshot, operations })
}

/// `format.txt` was made by `format.py`, which knows the documentation and not this crate.
#[test]
fn the_format_is_what_the_documentation_says() {
    let patch = Patch { at: 1, n_removed: 2, inserted: (*b"xyz").into(), checksum: checksum::of(&[b"hxyz"]) };
    let batches = [
        vec![write("a/b", "hi", 1_700_000_000_123)],
        vec![Operation::MakeFolder(path("c"))],
        vec![Operation::Rename { from: path("c"), to: path("é") }],
        vec![write("x", "1", 0), write("y", "", 0), write("z", "3", 0)],
        vec![Operation::Remove(path("a"))],
        vec![Operation::Patch { path: path("x"), patch, contents: None, modified_ms: 5 }],
    ];
    let backend = MemoryBackend::new();
    let base = [
        BaseState { snapshot: 3, operations: vec![], names: vec!["start".into()] },
        BaseState { snapshot: 7, operations: vec![write("old", "1", 9)], names: vec![] },
    ];
    let mut journal =
        Journal::begin(open(&backend), 0x0123_4567_89ab_cdef, &base).map_err(|failed| failed.error).unwrap();
    for (operations, snapshot) in batches.iter().zip(8..) {
        journal.append(snapshot, operations).unwrap();
    }
    journal.keep(13, 12, "käse").unwrap();
    journal.release(13, "start").unwrap();
    let length = journal.length();
    drop(journal);
    let stored = contents(&*open(&backend)).unwrap();
    assert_eq!(stored.len() as u64, length);
    assert_eq!(stored, bytes(include_str!("tests/format.txt")));

    let (found, items) = read(&stored);
    let founded_at = Some(N_HEADERS + 44 + 44 + 13 + 44 + 4 + 44);
    let expected =
        Scan { format: Format::Present, founded_at, good_length: length, dropped_bytes: 0, tail: Tail::Clean };
    assert_eq!(found, expected);
    let mut expected = vec![
        batch(3, vec![]),
        Item::Keep { snapshot: 3, name: "start".into() },
        batch(7, vec![write("old", "1", 9)]),
        Item::Founded,
    ];
    expected.extend(batches.into_iter().zip(8..).map(|(operations, snapshot)| batch(snapshot, operations)));
    expected.push(Item::Keep { snapshot: 12, name: "käse".into() });
    expected.push(Item::Release("start".into()));
    assert_eq!(items, expected);
}

/// The bytes of version 1, whose checksums are those of Python's zlib.
#[test]
fn the_first_format_is_read() {
    let stored = bytes(
        "56495452494e454a 01000000 9b3a413e  05000000 0800000000000000 caaa9330 69df2265 0000000000000000
         01000300 0200000000000000 7e366249 95313848 612f62 6869
         02000100 0000000000000000 ce332c78 6fdfb906 63
         04000100 0200000000000000 539134d5 aa330dfa 63 c3a9
         01010100 0100000000000000 603e9602 3be1e1f7 78 31  01000100 0000000000000000 3ee1b20f 1526dbfb 79
         03000100 0000000000000000 a17f89e3 43beb7e8 61",
    );
    let good_length = stored.len() as u64;
    let scan = Scan { format: Format::First, founded_at: Some(44), good_length, dropped_bytes: 0, tail: Tail::Clean };
    let items = vec![
        batch(0, vec![]),
        Item::Founded,
        batch(1, vec![write("a/b", "hi", 0)]),
        batch(2, vec![Operation::MakeFolder(path("c"))]),
        batch(3, vec![Operation::Rename { from: path("c"), to: path("é") }]),
        batch(4, vec![write("x", "1", 0), write("y", "", 0)]),
        batch(5, vec![Operation::Remove(path("a"))]),
    ];
    assert_eq!(read(&stored), (scan, items));
}

/// A record with right checksums and a body of its own making, where a journal's first change goes.
fn record(kind: RecordKind, n_path: u16, n_data: u64, body: &[u8]) -> Vec<u8> {
    let (path, data) = body.split_at(body.len().min(n_path.into()));
    let (path_checksum, data_checksum) = (checksum::of(&[path]), checksum::of(&[data]));
    let place = Place::Alone;
    let head = Head { kind, place, n_path, n_data, snapshot: 1, modified_ms: 0, path_checksum, data_checksum };
    [head.to_bytes(7, N_BEGUN as u64), body.to_vec()].concat()
}

/// Two headers, a state, and that it is founded.
const N_BEGUN: usize = 56 + 44 + 44;

fn begun() -> Vec<u8> {
    let backend = MemoryBackend::new();
    let empty = BaseState { snapshot: 0, operations: vec![], names: vec![] };
    drop(Journal::begin(open(&backend), 7, &[empty]).map_err(|failed| failed.error).unwrap());
    contents(&*open(&backend)).unwrap()
}

/// Nothing here may panic or allocate what a length claims.
#[test]
fn records_with_right_checksums_and_wrong_contents_are_left_out() {
    use RecordKind::{Keep, Patch, Put, Release, Rename};
    let mut unknown_kind = record(Put, 1, 0, b"a");
    unknown_kind[4] = 99;
    let mut elsewhere = record(Put, 1, 0, b"a");
    elsewhere.rotate_left(1);
    let cases: [(&str, Vec<u8>, Tail); 13] = [
        ("a terabyte of data", record(Put, 1, 1 << 40, b"a"), Tail::Torn),
        ("more than there can be", record(Put, 1, u64::MAX, b"a"), Tail::Damaged),
        ("a path beyond the end", record(Put, 0xffff, 0, b"a"), Tail::Torn),
        ("an unknown kind", unknown_kind, Tail::Damaged),
        ("a record that is not in its place", elsewhere, Tail::Damaged),
        ("a path that climbs out", record(Put, 5, 0, b"../..x"[..5].into()), Tail::Damaged),
        ("a path not in its own spelling", record(Put, 2, 0, b"/a"), Tail::Damaged),
        ("a path that is no UTF-8", record(Put, 1, 0, b"\xff"), Tail::Damaged),
        ("a rename to nowhere", record(Rename, 1, 2, b"a.."), Tail::Damaged),
        ("a short patch", record(Patch, 1, 3, b"a123"), Tail::Damaged),
        ("a short name", record(Keep, 0, 3, b"123"), Tail::Damaged),
        ("a name that is no UTF-8", record(Release, 0, 1, b"\xff"), Tail::Damaged),
        ("zeros, as after a crash of the machine", vec![0; 64], Tail::Damaged),
    ];
    for (rule, record, tail) in cases {
        let mut stored = begun();
        assert_eq!(stored.len(), N_BEGUN);
        stored.extend(&record);
        let (found, items) = read(&stored);
        let founded_at = Some(N_BEGUN as u64);
        let dropped_bytes = record.len() as u64;
        let expected = Scan { format: Format::Present, founded_at, good_length: N_BEGUN as u64, dropped_bytes, tail };
        assert_eq!(found, expected, "{rule}");
        let changes = items.iter().filter(|item| !matches!(item, Item::Damage(_)));
        assert_eq!(changes.collect::<Vec<_>>(), [&batch(0, vec![]), &Item::Founded], "{rule}");
    }
}

/// A file whose bytes are a journal, in a journal whose record of that file has lost its head.
#[test]
fn what_is_in_a_file_never_passes_for_a_record() {
    let within = |salt: u64| {
        let backend = MemoryBackend::new();
        let mut journal = Journal::begin(open(&backend), salt, &[]).map_err(|failed| failed.error).unwrap();
        journal.append(1, &[write("evil", "", 0)]).unwrap();
        drop(journal);
        contents(&*open(&backend)).unwrap()
    };
    let backend = MemoryBackend::new();
    let mut journal = Journal::begin(open(&backend), 7, &[]).map_err(|failed| failed.error).unwrap();
    let at = usize::try_from(journal.length()).unwrap();
    for (snapshot, salt) in [(1, 7), (2, 8)] {
        let contents = within(salt).into();
        journal.append(snapshot, &[Operation::Write { path: path("file"), contents, modified_ms: 0 }]).unwrap();
    }
    journal.append(3, &[write("after", "", 0)]).unwrap();
    drop(journal);
    let mut stored = contents(&*open(&backend)).unwrap();
    stored[at + 4] ^= 0xff;
    let (found, items) = read(&stored);
    assert_eq!((found.tail, found.dropped_bytes), (Tail::Clean, 0));
    let [Item::Founded, Item::Damage(damage), Item::Batch(second), third] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!((damage.at, damage.kind, second.snapshot), (at as u64, DamageKind::Unknown, 2));
    assert_eq!(third, &batch(3, vec![write("after", "", 0)]));
}

#[test]
fn contents_of_any_size_come_back() {
    for n_bytes in [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073, 262_144, 1_000_003] {
        let contents: Vec<u8> = (0..n_bytes).map(|at: u32| (at % 253) as u8).collect();
        let large = Operation::Write { path: path("large"), contents: contents.into(), modified_ms: 1 };
        let operations = vec![write("before", "small", 0), large, write("after", "small", 0)];
        let backend = MemoryBackend::new();
        let base = BaseState { snapshot: 7, operations: operations.clone(), names: vec![] };
        Journal::begin(open(&backend), 1, &[base])
            .map_err(|failed| failed.error)
            .unwrap()
            .append(8, &operations)
            .unwrap();
        let (found, items) = read(&crate::conformance::contents(&*open(&backend)).unwrap());
        assert_eq!(found.tail, Tail::Clean, "{n_bytes}");
        assert!(items == [batch(7, operations.clone()), Item::Founded, batch(8, operations)], "{n_bytes}");
    }
}

/// Where each record of a whole journal begins and ends.
pub(crate) fn extents(stored: &[u8]) -> Vec<(usize, usize)> {
    let salt = u64::from_le_bytes(stored[16..24].try_into().unwrap());
    let mut extents = Vec::new();
    let mut at = N_HEADERS as usize;
    while at < stored.len() {
        let head = Head::from_bytes(&stored[at..], salt, at as u64).unwrap();
        let end = usize::try_from(head.end(at as u64).unwrap()).unwrap();
        extents.push((at, end));
        at = end;
    }
    extents
}

/// The tree of a whole journal from which one record is left out, with what cannot be done without it; of the last
/// change, all is left out.
pub(crate) fn replayed_without(stored: &[u8], index: usize) -> crate::workspace::Tree {
    let salt = u64::from_le_bytes(stored[16..24].try_into().unwrap());
    let extents = extents(stored);
    let head = |(begin, _): (usize, usize)| Head::from_bytes(&stored[begin..], salt, begin as u64).unwrap();
    let (snapshot, last) = (head(extents[index]).snapshot, head(*extents.last().unwrap()).snapshot);
    let (_, items) = read(stored);
    let operations = items.iter().flat_map(|item| match item {
        Item::Batch(batch) if batch.snapshot == last && last == snapshot => vec![],
        Item::Batch(batch) if batch.operations.is_empty() => vec![None],
        Item::Batch(batch) => batch.operations.iter().map(Some).collect(),
        _ => vec![None],
    });
    let mut tree = crate::workspace::Tree::default();
    for (number, operation) in operations.enumerate() {
        if let Some(operation) = operation.filter(|_| number != index) {
            let mut undos = Vec::new();
            if tree.apply(operation, &crate::Limits::NONE, &mut undos).is_err() {
                tree.roll_back(undos);
            }
        }
    }
    tree
}
