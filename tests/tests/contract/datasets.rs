//! `cases/datasets`: JSON Lines files, and the verdict of the dataset check.
