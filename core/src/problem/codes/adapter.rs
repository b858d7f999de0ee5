//! Codes about adapter folders, their configuration and weights, and the base they fit.

codes! {}
