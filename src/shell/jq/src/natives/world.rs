//! What a program asks of what is around it: inputs, environment, clock, standard error, the end.

use jaq_core::native::bome;
use jaq_core::{Error, Exn};

use super::{Native, filters, plain, with};
use crate::value::Value;

pub(super) fn natives() -> Vec<Native> {
    filters([
        plain("input", |cv| {
            let next = cv.0.data().world().next();
            bome(next.unwrap_or_else(|| Err("No more inputs".to_owned())).map_err(|why| Error::new(Value::text(why))))
        }),
        plain("inputs", |cv| {
            let world = cv.0.data().world();
            Box::new(std::iter::from_fn(move || {
                world.next().map(|next| next.map_err(|why| Exn::from(Error::new(Value::text(why)))))
            }))
        }),
        plain("input_filename", |cv| bome(Ok(cv.0.data().world().file()))),
        plain("input_line_number", |cv| bome(Ok(cv.0.data().world().line().into()))),
        plain("env", |cv| bome(Ok(cv.0.data().world().env()))),
        plain("now", |cv| bome(Ok(Value::Number(cv.0.data().world().now_s())))),
        plain("_debug", |cv| {
            let told = Value::array(vec![Value::text("DEBUG:"), cv.1.clone()]);
            cv.0.data().world().tell(&format!("{}\n", told.json()));
            bome(Ok(cv.1))
        }),
        plain("stderr", |cv| {
            cv.0.data().world().tell(&cv.1.str().map_or_else(|| cv.1.json(), str::to_owned));
            bome(Ok(cv.1))
        }),
        plain("halt", |_| Box::new(std::iter::once(Err(Exn::halt(0))))),
        with("halt_error", 1, |mut cv| {
            let code = cv.0.pop_var();
            let Some(code) = code.number() else {
                return bome(crate::value::error("halt_error/1: number required"));
            };
            cv.0.data().world().tell(&cv.1.str().map_or_else(|| format!("{}\n", cv.1.json()), str::to_owned));
            Box::new(std::iter::once(Err(Exn::halt(code as i32))))
        }),
    ])
}
