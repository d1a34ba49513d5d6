//! A path glob, small: `?` is one character and `*` any number within a segment; `**` crosses segments.

/// Whether a path fits a glob. A leading `./` means nothing on either side; a glob without `/` is about the file's name.
///
/// Takes time in proportion to the two lengths multiplied, whatever they hold.
pub fn matches(glob: &str, path: &str) -> bool {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let mut path = path.strip_prefix("./").unwrap_or(path);
    if !glob.contains('/') {
        path = path.rsplit('/').next().unwrap_or(path);
    }
    let tokens = tokens(glob);
    // The places in `tokens` that the text so far can have led to.
    let mut places = vec![false; tokens.len() + 1];
    enter(&tokens, &mut places, 0);
    for character in path.chars() {
        let mut next = vec![false; places.len()];
        for ((place, token), _) in tokens.iter().enumerate().zip(&places).filter(|(_, reached)| **reached) {
            let (stays, moves) = match token {
                Token::One(one) => (false, *one == character),
                Token::AnyOne => (false, character != '/'),
                Token::InSegment => (character != '/', false),
                Token::Across => (true, false),
                Token::Folders => (false, false),
                Token::InFolders => (true, character == '/'),
            };
            if stays {
                enter(&tokens, &mut next, place);
            }
            if moves {
                enter(&tokens, &mut next, place + 1);
            }
        }
        places = next;
    }
    places.last().copied().unwrap_or_default()
}

#[derive(Clone, Copy, Debug)]
enum Token {
    One(char),
    AnyOne,
    /// `*`
    InSegment,
    /// `**`
    Across,
    /// The beginning of `**/`, which is nothing or whole folders.
    Folders,
    /// The inside of `**/`: left at a `/` alone.
    InFolders,
}

fn tokens(glob: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = glob;
    while let Some(character) = rest.chars().next() {
        let taken = if rest.starts_with("**/") {
            tokens.extend([Token::Folders, Token::InFolders]);
            3
        } else if rest.starts_with("**") {
            tokens.push(Token::Across);
            2
        } else {
            tokens.push(match character {
                '*' => Token::InSegment,
                '?' => Token::AnyOne,
                one => Token::One(one),
            });
            character.len_utf8()
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    tokens
}

/// Reaches a place, and those behind it that need no character.
fn enter(tokens: &[Token], places: &mut [bool], place: usize) {
    let mut place = place;
    loop {
        mark(places, place);
        match tokens.get(place) {
            Some(Token::InSegment | Token::Across) => place += 1,
            Some(Token::Folders) => {
                mark(places, place + 1);
                place += 2;
            }
            Some(Token::One(_) | Token::AnyOne | Token::InFolders) | None => return,
        }
    }
}

fn mark(places: &mut [bool], place: usize) {
    if let Some(reached) = places.get_mut(place) {
        *reached = true;
    }
}
