//! Whoever does what the bytes say has what the stream shows, for bytes that follow the text; and garbage is refused.

use super::*;
use crate::stream::parse;
use crate::stream::tests::{CORPUS, chunks, joined, pathological};

/// A view in another program: it knows the bytes alone.
#[derive(Default)]
struct Reader(Vec<Arc<Block>>);

impl Reader {
    /// Does what the bytes say. Fails where a view would have nowhere to put something, or would draw what it has.
    fn take(&mut self, bytes: &[u8]) {
        let delta = Delta::decode(bytes).expect("what was written can be read");
        assert_eq!(delta.encode(), bytes);
        for (index, edit) in delta.edits {
            assert!(index <= self.0.len(), "no hole before block {index}");
            match (edit, self.0.get_mut(index)) {
                (Edit::Set(block), None) => self.0.push(block),
                (Edit::Set(block), Some(place)) => {
                    assert_ne!(*place, block, "a block that is told has changed");
                    *place = block;
                }
                (Edit::Grow(added), Some(place)) => match Arc::make_mut(place) {
                    Block::Code { text, .. } => text.push_str(&added),
                    other => panic!("only code grows, not {other:?}"),
                },
                (Edit::Grow(_), None) => panic!("block {index} is not there to grow"),
            }
        }
        self.0.truncate(delta.n_blocks);
    }
}

/// Feeds a text in pieces, compares at every step, and gives the number of bytes that told it.
fn tell(text: &str, size: usize) -> usize {
    let (mut feed, mut stream, mut reader) = (Feed::new(), Stream::new(), Reader::default());
    let mut n_bytes = 0;
    for piece in chunks(text, size) {
        stream.push(piece);
        let bytes = feed.push(piece).encode();
        n_bytes += bytes.len();
        reader.take(&bytes);
        assert!(reader.0.iter().eq(stream.blocks().iter()), "in pieces of {size}, at {piece:?}: {text:?}");
    }
    stream.finish();
    let bytes = feed.finish().encode();
    reader.take(&bytes);
    assert!(reader.0.iter().eq(stream.blocks().iter()), "in pieces of {size}, at the end: {text:?}");
    let after = Delta { n_blocks: reader.0.len(), edits: Vec::new() };
    assert_eq!((feed.push("more"), feed.finish()), (after.clone(), after), "nothing changes after the end");
    n_bytes + bytes.len()
}

#[test]
fn a_reader_of_the_bytes_has_what_the_stream_shows() {
    let all = joined();
    for text in CORPUS.iter().copied().chain([all.as_str()]) {
        for size in [1, 2, 3, 7, 16, 61, 1024] {
            tell(text, size);
        }
    }
}

#[test]
fn what_is_told_follows_the_text_whatever_it_is() {
    let worst: Vec<_> = pathological()
        .into_iter()
        // Cells that a row leaves out are in the tree, and so in the bytes.
        .filter(|(name, _)| *name != "wide table")
        .map(|(name, text)| (name, tell(&text, 4096) / text.len()))
        .filter(|(_, times)| *times > 12)
        .collect();
    assert_eq!(worst, [], "each byte of the text was told so many times");
}

#[test]
fn an_open_fence_is_told_once() {
    let code = "let x = 1;\n".repeat(20_000);
    for text in [format!("```rs\n{code}"), format!("Here:\n\n```rs\n{code}```\n\nDone.\n")] {
        let n_bytes = tell(&text, 64);
        assert!(n_bytes < text.len() + text.len() / 5, "{n_bytes} bytes for {}", text.len());
    }
}

fn written(text: &str) -> Vec<u8> {
    let edits = parse(text).into_iter().map(|block| Edit::Set(Arc::new(block))).enumerate().collect();
    Delta { n_blocks: 1, edits }.encode()
}

#[test]
fn numbers_of_every_length_travel() {
    for start in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
        let list = Arc::new(Block::List { start: Some(start), items: Vec::new() });
        let delta = Delta { n_blocks: usize::MAX, edits: vec![(usize::MAX, Edit::Set(list))] };
        assert_eq!(Delta::decode(&delta.encode()), Some(delta));
    }
}

#[test]
fn what_is_cut_off_or_goes_on_is_refused() {
    for text in CORPUS {
        let bytes = written(text);
        assert!(Delta::decode(&bytes).is_some());
        for end in 0..bytes.len() {
            assert_eq!(Delta::decode(&bytes[..end]), None, "{end} bytes of {text:?}");
        }
        assert_eq!(Delta::decode(&[&bytes[..], &[0]].concat()), None, "one more after {text:?}");
    }
}

#[test]
fn garbage_is_refused_whatever_it_is() {
    const TOO_LONG: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    // What begins a delta of one block, then the block.
    let one = |block: &[u8]| [&[1, 1, 0, 0], block].concat();
    let cases = [
        ("a length beyond what is left", one(&[3, 0, 5, b'a'])),
        ("a length beyond memory", one(&[&[3], &TOO_LONG[..]].concat())),
        ("a number beyond 64 bits", one(&[&[6], &[0xff; 9][..], &[2, 0]].concat())),
        ("a number without an end", one(&[&[6], &[0x80; 11][..], &[0]].concat())),
        ("more items than bytes", one(&[4, 9, 8, 8])),
        ("no such block", one(&[9])),
        ("no such inline", one(&[0, 1, 9])),
        ("no such alignment", one(&[7, 1, 4, 0, 0])),
        ("no such task", one(&[5, 1, 3, 0])),
        ("no such edit", vec![1, 1, 0, 2, 0]),
        ("not UTF-8", one(&[3, 0, 1, 0xff])),
        ("a character cut in two", one(&[0, 1, 0, 1, 0xc3])),
        ("quotes in quotes", one(&[4, 1].repeat(100_000))),
        ("emphasis in emphasis", one(&[&[0, 1][..], &[2, 1].repeat(100_000)].concat())),
    ];
    let taken: Vec<_> =
        cases.iter().filter(|(_, bytes)| Delta::decode(bytes).is_some()).map(|(name, _)| name).collect();
    assert_eq!(taken, Vec::<&&str>::new());
}

#[test]
fn a_changed_byte_is_read_or_refused_and_never_worse() {
    for text in CORPUS {
        let bytes = written(text);
        for at in 0..bytes.len() {
            for byte in [0, 1, 4, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at].wrapping_add(1)] {
                let mut changed = bytes.clone();
                changed[at] = byte;
                // What it is read as does not matter; that it ends, and can be written again, does.
                if let Some(delta) = Delta::decode(&changed) {
                    assert_eq!(Delta::decode(&delta.encode()), Some(delta));
                }
            }
        }
    }
}
