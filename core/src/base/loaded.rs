//! Which files of a base are loaded when it runs, and which only accompany it.

use super::tokenizer::is_tokenizer;
use super::weights::{INDEX, is_weights};

/// Whether a library that loads the base reads this file, so that it must be there and must be pinned.
///
/// A cache that was filled by loading a model lacks the README and the weights in other containers; a file
/// that is loaded and not pinned (a chat template, say) would change what the base does.
pub fn is_loaded(path: &str) -> bool {
    let end = |end: &str| path.len() > end.len() && path.ends_with(end);
    path == INDEX
        || is_weights(path)
        || is_tokenizer(path)
        || matches!(
            path,
            "config.json" | "generation_config.json" | "adapter_config.json" | "adapter_model.safetensors"
        )
        || matches!(path, "preprocessor_config.json" | "processor_config.json" | "video_preprocessor_config.json")
        || (!path.contains('/') && end(".py"))
}
