//! `cases/archives`: hostile and odd archives, and the verdict on each.
