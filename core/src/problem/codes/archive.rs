//! Codes about package archives and manifests.

codes! {}
