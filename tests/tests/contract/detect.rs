//! `cases/detect.jsonl`: texts, and what the scan for secrets and personal data says.
