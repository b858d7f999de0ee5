//! Not yet written.

#[cfg(test)]
pub(crate) mod sample;
