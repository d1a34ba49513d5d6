//! The queues: what a poll takes, and what it leaves.
#![cfg(test)]

use vitrine_agent::message::{Message, SharedMessage, UserContent};
use vitrine_agent::queue::{Queue, QueueMode, Queues};

fn texts(messages: &[SharedMessage]) -> Vec<String> {
    let text = |message: &SharedMessage| match &**message {
        Message::User(user) => match &user.content {
            UserContent::Text(text) => text.clone(),
            content @ UserContent::Blocks(_) => content.text(),
        },
        other => other.role().to_owned(),
    };
    messages.iter().map(text).collect()
}

fn queue(mode: QueueMode, texts: &[&str]) -> Queue {
    let mut queue = Queue::new(mode);
    texts.iter().for_each(|text| queue.push(SharedMessage::new(Message::user(*text, 1))));
    queue
}

#[test]
fn one_at_a_time_takes_the_oldest() {
    let mut queue = queue(QueueMode::default(), &["a", "b"]);
    assert_eq!(texts(&queue.peek()), ["a"]);
    assert_eq!(texts(&queue.take()), ["a"]);
    assert_eq!(texts(&queue.take()), ["b"]);
    assert!(queue.take().is_empty() && queue.is_empty());
}

#[test]
fn all_takes_all_and_the_mode_may_change() {
    let mut queue = queue(QueueMode::OneAtATime, &["a", "b", "c"]);
    queue.take();
    queue.mode = QueueMode::All;
    assert_eq!(texts(&queue.peek()), ["b", "c"]);
    assert_eq!(queue.len(), 2);
    assert_eq!(texts(&queue.take()), ["b", "c"]);
}

#[test]
fn clear_gives_everything_back_whatever_the_mode() {
    let mut queue = queue(QueueMode::OneAtATime, &["a", "b"]);
    assert_eq!(texts(&queue.clear()), ["a", "b"]);
    assert!(queue.is_empty());
}

#[test]
fn steering_goes_first() {
    let mut queues = Queues {
        steering: queue(QueueMode::OneAtATime, &["s1", "s2"]),
        follow_up: queue(QueueMode::All, &["f1", "f2"]),
    };
    assert_eq!(texts(&queues.peek()), ["s1"]);
    queues.steering.clear();
    assert_eq!(texts(&queues.peek()), ["f1", "f2"]);
    queues.follow_up.clear();
    assert!(queues.peek().is_empty() && queues.is_empty());
}
