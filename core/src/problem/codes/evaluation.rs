//! Codes about evaluation records and evidence.

codes! {}
