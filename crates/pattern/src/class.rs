//! Sets of characters.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// What a bracket or an escape takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub is_negated: bool,
    pub items: Vec<Item>,
}

/// A part of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Range(char, char),
    Class { class: Class, is_negated: bool },
}

/// Characters with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    Digit,
    Word,
    Space,
    Any,
    Ascii,
    Alphabetic,
    Lowercase,
    Uppercase,
    /// Assigned, or not.
    Assigned,
    /// A mask of general categories, by the place in [`CATEGORIES`].
    Categories(u32),
}

impl Set {
    /// One class.
    pub fn of(class: Class, is_negated: bool) -> Self {
        Self { is_negated, items: vec![Item::Class { class, is_negated: false }] }
    }

    /// Whether the set has the character.
    pub fn has(&self, sign: char) -> bool {
        let has = self.items.iter().any(|item| match item {
            Item::Range(first, last) => (*first..=*last).contains(&sign),
            Item::Class { class, is_negated } => class.has(sign) != *is_negated,
        });
        has != self.is_negated
    }
}

impl Class {
    fn has(self, sign: char) -> bool {
        match self {
            Self::Digit => sign.is_ascii_digit(),
            Self::Word => is_word(sign),
            Self::Space => {
                matches!(sign, '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
                    | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
            }
            Self::Any => true,
            Self::Ascii => sign.is_ascii(),
            Self::Alphabetic => sign.is_alphabetic(),
            Self::Lowercase => sign.is_lowercase(),
            Self::Uppercase => sign.is_uppercase(),
            Self::Assigned => get_general_category(sign) != Category::Unassigned,
            Self::Categories(mask) => {
                let category = get_general_category(sign);
                let place = CATEGORIES.iter().position(|(_, _, known)| *known == category);
                place.is_some_and(|place| mask & (1 << place) != 0)
            }
        }
    }

    /// The class of `\p{text}`.
    pub fn of_property(text: &str) -> Option<Self> {
        let name = match text.split_once('=') {
            Some(("General_Category" | "gc", name)) => name,
            Some(_) => return None,
            None => match text {
                "Any" => return Some(Self::Any),
                "ASCII" => return Some(Self::Ascii),
                "Assigned" => return Some(Self::Assigned),
                "Alphabetic" | "Alpha" => return Some(Self::Alphabetic),
                "Lowercase" | "Lower" => return Some(Self::Lowercase),
                "Uppercase" | "Upper" => return Some(Self::Uppercase),
                "White_Space" | "space" => return Some(Self::Space),
                name => name,
            },
        };
        let mask = |takes: &dyn Fn(&str, &str) -> bool| {
            let places = CATEGORIES.iter().enumerate().filter(|(_, (short, long, _))| takes(short, long));
            places.fold(0, |mask, (place, _)| mask | (1 << place))
        };
        let group = GROUPS.iter().find(|(short, longs)| *short == name || longs.contains(&name));
        let mask = match (group, name) {
            (Some((group, _)), _) => mask(&|short, _| short.starts_with(group)),
            (None, "LC" | "Cased_Letter") => mask(&|short, _| matches!(short, "Lu" | "Ll" | "Lt")),
            (None, "digit") => mask(&|short, _| short == "Nd"),
            (None, "punct") => mask(&|short, _| short.starts_with('P')),
            (None, name) => mask(&|short, long| short == name || long == name),
        };
        (mask != 0).then_some(Self::Categories(mask))
    }
}

/// What `\w` takes.
pub fn is_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

const GROUPS: [(&str, &[&str]); 7] = [
    ("L", &["Letter"]),
    ("M", &["Mark", "Combining_Mark"]),
    ("N", &["Number"]),
    ("P", &["Punctuation"]),
    ("S", &["Symbol"]),
    ("Z", &["Separator"]),
    ("C", &["Other"]),
];

const CATEGORIES: [(&str, &str, Category); 30] = [
    ("Lu", "Uppercase_Letter", Category::UppercaseLetter),
    ("Ll", "Lowercase_Letter", Category::LowercaseLetter),
    ("Lt", "Titlecase_Letter", Category::TitlecaseLetter),
    ("Lm", "Modifier_Letter", Category::ModifierLetter),
    ("Lo", "Other_Letter", Category::OtherLetter),
    ("Mn", "Nonspacing_Mark", Category::NonspacingMark),
    ("Mc", "Spacing_Mark", Category::SpacingMark),
    ("Me", "Enclosing_Mark", Category::EnclosingMark),
    ("Nd", "Decimal_Number", Category::DecimalNumber),
    ("Nl", "Letter_Number", Category::LetterNumber),
    ("No", "Other_Number", Category::OtherNumber),
    ("Pc", "Connector_Punctuation", Category::ConnectorPunctuation),
    ("Pd", "Dash_Punctuation", Category::DashPunctuation),
    ("Ps", "Open_Punctuation", Category::OpenPunctuation),
    ("Pe", "Close_Punctuation", Category::ClosePunctuation),
    ("Pi", "Initial_Punctuation", Category::InitialPunctuation),
    ("Pf", "Final_Punctuation", Category::FinalPunctuation),
    ("Po", "Other_Punctuation", Category::OtherPunctuation),
    ("Sm", "Math_Symbol", Category::MathSymbol),
    ("Sc", "Currency_Symbol", Category::CurrencySymbol),
    ("Sk", "Modifier_Symbol", Category::ModifierSymbol),
    ("So", "Other_Symbol", Category::OtherSymbol),
    ("Zs", "Space_Separator", Category::SpaceSeparator),
    ("Zl", "Line_Separator", Category::LineSeparator),
    ("Zp", "Paragraph_Separator", Category::ParagraphSeparator),
    ("Cc", "Control", Category::Control),
    ("Cf", "Format", Category::Format),
    ("Cs", "Surrogate", Category::Surrogate),
    ("Co", "Private_Use", Category::PrivateUse),
    ("Cn", "Unassigned", Category::Unassigned),
];
