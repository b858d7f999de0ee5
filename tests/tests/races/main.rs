//! Many at once, and ends in the middle: racing pushes and decisions, a registry that is killed, a download that may end.

mod decisions;
mod ends;
mod pushes;

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
