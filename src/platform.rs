//! The browser, port by port.
