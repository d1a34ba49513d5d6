//! Coercion and validation of tool arguments, with the error text the model reads.
//!
//! A tool's JSON Schema is compiled once; each call's arguments are then coerced (models write `"5"` for 5, `null` for
//! "not given") and validated. What it is not: it knows no tool, no message and no file.
//!
//! ```
//! use serde_json::json;
//! use vitrine_schema::Schema;
//!
//! let schema = Schema::compile(&json!({"type": "object", "properties": {"limit": {"type": "number"}}}))?;
//! assert_eq!(schema.prepare("ls", &json!({"limit": "20"})), Ok(json!({"limit": 20})));
//! # Ok::<(), vitrine_schema::SchemaError>(())
//! ```

mod coerce;
mod compile;
mod explain;
mod js;
mod mend;
mod plain;
mod pointer;
mod schema;
mod union;

pub use js::stringify;
pub use plain::PlainSchema;
pub use schema::{Schema, SchemaError};
