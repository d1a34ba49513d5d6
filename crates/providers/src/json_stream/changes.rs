//! [`JsonChanges`]: what a receiver has to change, as numbers.

use serde_json::Value;

use super::reader::{Change, Reader};
use super::strings::Part;

/// Reads JSON that arrives in pieces, as [`super::JsonStream`] does, and says after each piece what changed; the value itself
/// is kept by the receiver. All pieces together cost time linear in the text. The encoding is described in the module.
#[derive(Clone, Debug, Default)]
pub struct JsonChanges {
    reader: Reader,
    words: Vec<f64>,
}

impl JsonChanges {
    /// Nothing read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next piece and gives the changes. To be called for every piece, and each answer to be applied, in order.
    // Inlined it would be compiled as its caller is, which may be for size.
    #[inline(never)]
    pub fn push(&mut self, piece: &str) -> &[f64] {
        let Self { reader, words } = self;
        words.clear();
        let mut units = Units::of(piece);
        reader.push(piece, &mut |change| match change {
            Change::Close => words.push(0.0),
            Change::Open { is_object: true } => words.push(1.0),
            Change::Open { is_object: false } => words.push(2.0),
            Change::Key => words.push(3.0),
            Change::Text => words.push(4.0),
            Change::More(Part::Run(run)) => words.extend([5.0, units.before(run.start), units.before(run.end)]),
            Change::More(Part::Char(sign)) => words.extend([6.0, f64::from(u32::from(sign))]),
            Change::Value(value) => words.extend(scalar(value)),
            Change::Guess(value) => words.extend([11.0].into_iter().chain(scalar(value))),
        });
        words
    }

    /// The answer of the last `push`.
    pub fn last(&self) -> &[f64] {
        &self.words
    }

    /// Whether it is inside a string value: a piece without quotes and backslashes is a run, whole, and need not be read.
    pub fn is_in_text(&self) -> bool {
        self.reader.is_in_text()
    }

    /// Whether the root value is closed: more text changes nothing.
    pub fn is_complete(&self) -> bool {
        self.reader.is_complete()
    }
}

/// A number, or a literal.
fn scalar(value: &Value) -> impl Iterator<Item = f64> {
    let (code, operand) = match value {
        Value::Bool(true) => (8.0, None),
        Value::Bool(false) => (9.0, None),
        Value::Number(number) => (7.0, number.as_f64()),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => (10.0, None),
    };
    [code].into_iter().chain(operand)
}

/// Places in a piece, in UTF-16 units. They are asked for from left to right, so that the piece is gone through once.
struct Units<'t> {
    /// Nothing of the piece where a byte is a unit.
    rest: Option<&'t str>,
    n_bytes: usize,
    n_units: usize,
}

impl<'t> Units<'t> {
    fn of(piece: &'t str) -> Self {
        Self { rest: (!piece.is_ascii()).then_some(piece), n_bytes: 0, n_units: 0 }
    }

    /// How many come before a byte. A piece is shorter than 2^53.
    fn before(&mut self, byte: usize) -> f64 {
        let Some(rest) = self.rest else { return byte as f64 };
        if let Some((passed, rest)) = rest.split_at_checked(byte.saturating_sub(self.n_bytes)) {
            self.n_units += passed.chars().map(char::len_utf16).sum::<usize>();
            self.n_bytes = byte;
            self.rest = Some(rest);
        }
        self.n_units as f64
    }
}
