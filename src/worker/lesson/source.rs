//! Where lessons come from.

use futures_util::StreamExt as _;
use vitrine::platform::{fetch, url};
use vitrine_protocol::notification::Problem;
use vitrine_teach::{Lesson, MAX_BYTES};

use crate::desk::Desk;
use crate::outbox::Answer;

/// The first lesson: a part of the build, so that the first click waits for nothing.
pub const FIRST: &str = include_str!("../../../www/lessons/only-asks.json");

/// Reads a lesson in the language on screen.
pub fn read(desk: &Desk, text: &str) -> Result<Lesson, Problem> {
    let names: Vec<String> = desk.tools.switches().into_iter().map(|(name, _)| name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    vitrine_teach::read(text, &desk.lang.borrow(), &names).map_err(|problems| {
        let help = "mend these lines; lessons/lesson.schema.json says what a lesson is made of";
        Problem::new("invalid-lesson", problems.to_string(), help)
    })
}

/// The text of one of the site's own lessons by its name, or of one at an address.
pub async fn fetch(name: &str) -> Result<String, Problem> {
    let is_name = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let address = if is_name { beside(&format!("lessons/{name}.json"))? } else { name.to_owned() };
    if url::http_origin(&address).is_none() {
        let message = format!("no address of a lesson: {name}");
        return Err(Problem::new(
            "invalid-argument",
            message,
            "give an http(s) address, or the name of a lesson of this site",
        ));
    }
    load(&address).await
}

/// The lessons of the site.
pub async fn list(desk: &Desk) -> Result<Answer, Problem> {
    let text = load(&beside("lessons/index.json")?).await?;
    let list = vitrine_teach::list(&text, &desk.lang.borrow());
    Answer::json(&list.map_err(|error| unloaded("lessons/index.json", &error))?)
}

fn beside(name: &str) -> Result<String, Problem> {
    url::beside(name).map_err(|error| unloaded(name, &error.message))
}

async fn load(address: &str) -> Result<String, Problem> {
    let request = fetch::Request { method: "GET".into(), url: address.to_owned(), ..fetch::Request::default() };
    let mut response = fetch::send(request).await.map_err(|error| unloaded(address, &error.message))?;
    if !(200..300).contains(&response.status) {
        return Err(unloaded(address, &format!("status {}", response.status)));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.body.next().await {
        body.extend_from_slice(&piece.map_err(|error| unloaded(address, &error.message))?);
        if body.len() > MAX_BYTES {
            return Err(unloaded(address, &format!("more than {MAX_BYTES} bytes")));
        }
    }
    String::from_utf8(body).map_err(|error| unloaded(address, &error.to_string()))
}

fn unloaded(what: &str, why: &str) -> Problem {
    Problem::new(
        "lesson-not-loaded",
        format!("{what}: {why}"),
        "check the address; a lesson of another site needs that site's leave (CORS)",
    )
}
