//! Whatever is changed in a pulled folder, or on its way here, is noticed and named.

mod bytes;
mod folder;
mod liar;
mod names;
mod resume;
