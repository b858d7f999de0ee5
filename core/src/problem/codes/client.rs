//! Codes about the command line and the network between it and a registry.

codes! {}
