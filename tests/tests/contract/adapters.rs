//! `cases/adapters`: folders as a trainer leaves them, and the verdict on each.
