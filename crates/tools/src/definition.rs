//! [`Definition`]: what every tool of ours is made of besides what it does.

use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::Value;
use vitrine_agent::json::Json;
use vitrine_agent::tool::{Invocation, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::{PlainSchema, SchemaError};

/// A tool's spec and its schema, compiled once.
#[derive(Debug)]
pub struct Definition {
    /// What the model is told.
    pub spec: ToolSpec,
    schema: PlainSchema,
}

impl Definition {
    /// Takes the schema. Fails only for one that is more than plain, which is a bug of the tool.
    pub fn new(name: &str, description: &str, parameters: &Value) -> Result<Self, SchemaError> {
        let schema = PlainSchema::new(parameters)?;
        let parameters = Json::from_value(parameters);
        let (name, description) = (name.to_owned(), description.to_owned());
        Ok(Self { spec: ToolSpec { name, description, parameters, ..ToolSpec::default() }, schema })
    }

    /// A server that can hold a model to the schema should do so.
    pub fn strict(mut self) -> Self {
        self.spec.constrained_sampling =
            Some(Json::from_value(&serde_json::json!({"type": "json_schema", "strict": "prefer"})));
        self
    }

    /// Coercion and validation.
    pub fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.prepare_value(&arguments.to_value())
    }

    /// [`Self::prepare`] of arguments that were brought into form before.
    pub fn prepare_value(&self, arguments: &Value) -> Result<Value, String> {
        self.schema.prepare(&self.spec.name, arguments)
    }
}

/// The result of a tool that is done as soon as it is begun; of a run that was ended before, that it was.
pub fn at_once(
    invocation: &Invocation,
    act: impl FnOnce(&Value) -> Result<ToolOutput, ToolError>,
) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
    ready(unless_aborted(invocation).and_then(|()| act(&invocation.arguments))).boxed_local()
}

/// Fails when the run was ended.
pub fn unless_aborted(invocation: &Invocation) -> Result<(), ToolError> {
    if invocation.signal.is_aborted() { Err(ToolError("Operation aborted".to_owned())) } else { Ok(()) }
}

/// A text argument that the schema requires; empty if it is not there after all.
pub fn text<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number argument as a count: fractions are cut off, and less than none is none.
pub fn count(arguments: &Value, name: &str) -> Option<usize> {
    // `as` saturates, and NaN is not in JSON.
    arguments.get(name).and_then(Value::as_f64).map(|number| number.max(0.0) as usize)
}
