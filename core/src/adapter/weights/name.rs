//! Names of tensors: the one form that PEFT writes for plain LoRA, and what any other form means.

use crate::problem::{BASE_WEIGHTS_INSIDE, Code, TENSOR_NAME_UNKNOWN, TENSOR_UNSUPPORTED, UNDECLARED_TENSOR};

const PREFIX: &str = "base_model.model.";

/// Which matrix of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// `lora_A`, `[r, in]`.
    A,
    /// `lora_B`, `[out, r]`.
    B,
}

/// A name of the right form: `base_model.model.<module>.lora_(A|B).weight`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    /// The module path in the base.
    pub module: String,
    /// Which matrix.
    pub side: Side,
}

/// Names under which models keep the weights that a resized vocabulary makes PEFT save.
const VOCABULARY: &[&str] =
    &["embed_tokens", "lm_head", "wte", "word_embeddings", "embed_in", "embed_out", "tok_embeddings", "shared"];

impl TensorName {
    /// The parsed name, or the code of its refusal and what the name is.
    pub fn parse(name: &str) -> Result<Self, (Code, &'static str)> {
        let Some(rest) = name.strip_prefix(PREFIX) else {
            return Err((TENSOR_NAME_UNKNOWN, "a name that does not begin with base_model.model."));
        };
        let plain = |c: &str| !c.is_empty() && c.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !rest.split('.').all(plain) {
            return Err((TENSOR_NAME_UNKNOWN, "a name with other characters than ASCII letters, digits and _"));
        }
        let found = rest
            .strip_suffix(".lora_A.weight")
            .map(|m| (m, Side::A))
            .or_else(|| rest.strip_suffix(".lora_B.weight").map(|m| (m, Side::B)));
        match found {
            Some((module, side)) => match foreign(&format!("{module}.")) {
                Some(refusal) => Err(refusal),
                None => Ok(Self { module: module.to_owned(), side }),
            },
            None => Err(other(rest)),
        }
    }
}

/// What a part in the middle of a name gives away.
fn foreign(module: &str) -> Option<(Code, &'static str)> {
    let has = |part: &str| module.contains(&format!(".{part}."));
    if has("base_layer") || has("original_module") || has("modules_to_save") {
        return Some((BASE_WEIGHTS_INSIDE, "weights of a base module"));
    }
    if module.split('.').any(|c| c.starts_with("lora_")) {
        return Some((TENSOR_NAME_UNKNOWN, "an adapter name inside the tensor name"));
    }
    None
}

/// What a name is that does not end as a LoRA matrix does.
fn other(rest: &str) -> (Code, &'static str) {
    let last = rest.rsplit('.').next().unwrap_or(rest);
    match last {
        "lora_magnitude_vector" => return (TENSOR_UNSUPPORTED, "a magnitude vector of DoRA"),
        "lora_embedding_A" | "lora_embedding_B" => return (TENSOR_UNSUPPORTED, "a LoRA matrix of an embedding"),
        "trainable_tokens_delta" => return (TENSOR_UNSUPPORTED, "trained token embeddings"),
        _ => {}
    }
    if rest.ends_with(".lora_B.bias") || rest.ends_with(".lora_A.bias") {
        return (TENSOR_UNSUPPORTED, "a bias of a LoRA matrix");
    }
    if rest.contains(".lora_magnitude_vector.") {
        return (TENSOR_UNSUPPORTED, "a magnitude vector of DoRA");
    }
    if let Some(refusal) = foreign(&format!(".{rest}")) {
        return refusal;
    }
    let module = rest.rsplit_once('.').map_or("", |(module, _)| module);
    let kind = module.rsplit('.').next().unwrap_or(module);
    if VOCABULARY.contains(&kind) {
        return (BASE_WEIGHTS_INSIDE, "the embedding or head of the base, saved after the vocabulary was resized");
    }
    if super::facts::layer_of(module).is_some() && matches!(last, "weight" | "bias") {
        return (BASE_WEIGHTS_INSIDE, "weights of a base module");
    }
    (UNDECLARED_TENSOR, "a tensor that no option of the configuration explains")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn one_form_and_its_neighbours() {
        let good = TensorName::parse("base_model.model.model.layers.3.self_attn.q_proj.lora_B.weight").unwrap();
        assert_eq!((good.module.as_str(), good.side), ("model.layers.3.self_attn.q_proj", Side::B));
        let q = "base_model.model.model.layers.0.self_attn.q_proj";
        for (name, code) in [
            ("", TENSOR_NAME_UNKNOWN),
            ("model.layers.0.q_proj.lora_A.weight", TENSOR_NAME_UNKNOWN),
            ("base_model.model..lora_A.weight", TENSOR_NAME_UNKNOWN),
            ("base_model.model.lora_A.weight", TENSOR_NAME_UNKNOWN),
            ("base_model.model.a/b.lora_A.weight", TENSOR_NAME_UNKNOWN),
            (&format!("{q}.lora_A.default.weight"), TENSOR_NAME_UNKNOWN),
            (&format!("{q}.lora_A.weight.lora_A.weight"), TENSOR_NAME_UNKNOWN),
            (&format!("{q}.lora_a"), TENSOR_NAME_UNKNOWN),
            (&format!("{q}.lora_magnitude_vector"), TENSOR_UNSUPPORTED),
            (&format!("{q}.lora_B.bias"), TENSOR_UNSUPPORTED),
            (&format!("{q}.base_layer.weight"), BASE_WEIGHTS_INSIDE),
            (&format!("{q}.bias"), BASE_WEIGHTS_INSIDE),
            ("base_model.model.model.embed_tokens.weight", BASE_WEIGHTS_INSIDE),
            ("base_model.model.lm_head.modules_to_save.weight", BASE_WEIGHTS_INSIDE),
            ("base_model.model.model.embed_tokens.token_adapter.trainable_tokens_delta", TENSOR_UNSUPPORTED),
            ("base_model.model.score.weight", UNDECLARED_TENSOR),
        ] {
            assert_eq!(TensorName::parse(name).unwrap_err().0, code, "{name}");
        }
    }
}
