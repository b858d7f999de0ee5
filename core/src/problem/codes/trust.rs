//! Codes about keys, signatures, roots and verification.

codes! {}
