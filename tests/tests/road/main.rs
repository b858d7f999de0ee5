//! The whole road of a version, from a trainer's folder to its take-down, with the real programs on both databases.

mod hidden;
mod journey;
mod judged;
mod stopped;

/// Makes a test of a function for each database.
macro_rules! on_both {
    ($($function:ident),*) => {
        mod sqlite {$(
            #[test]
            fn $function() { super::$function(retoque_tests::database::Engine::Sqlite); }
        )*}
        mod postgres {$(
            #[test]
            fn $function() { super::$function(retoque_tests::database::Engine::Postgres); }
        )*}
    };
}
pub(crate) use on_both;
