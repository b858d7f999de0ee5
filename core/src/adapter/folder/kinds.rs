//! Files that make an adapter ambiguous or dangerous, told by their names.

use super::leftovers::file_left_out;
use crate::problem::{
    ADAPTER_AMBIGUOUS, Code, UNEXPECTED_FILE, UNEXPECTED_PICKLE, WEIGHTS_AMBIGUOUS, WEIGHTS_MISSING, WEIGHTS_PICKLE,
    WEIGHTS_SHARDED,
};

/// What such a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// One shard of adapter weights, or their index.
    Shard,
    /// Adapter weights as a pickle.
    AdapterPickle,
    /// Weights of a whole model.
    Model,
    /// Adapter weights of MLX.
    Mlx,
    /// A GGUF file.
    Gguf,
    /// Weights in some other container.
    Weights,
    /// A pickle that is not known as state of a trainer.
    Pickle,
    /// A program.
    Code,
}

/// The codes that say more about absent weights than "missing".
pub(super) const WEIGHT_CODES: &[Code] = &[WEIGHTS_SHARDED, WEIGHTS_PICKLE, WEIGHTS_AMBIGUOUS, WEIGHTS_MISSING];

const CODE: &[&str] = &[
    "py", "pyc", "pyo", "pyd", "pyx", "ipynb", "so", "dll", "dylib", "exe", "com", "msi", "sh", "bash", "zsh", "bat",
    "cmd", "ps1", "js", "mjs", "ts", "rb", "pl", "php", "lua", "jar", "class", "wasm", "whl", "egg", "cu", "cpp", "c",
];

/// What a file is, from its name in lower case.
pub(super) fn foreign(lower: &str) -> Option<Foreign> {
    let (stem, extension) = lower.rsplit_once('.').unwrap_or((lower, ""));
    let pickle = matches!(
        extension,
        "bin" | "pt" | "pth" | "pkl" | "pickle" | "ckpt" | "joblib" | "dill" | "distcp" | "npy" | "pt2" | "ptc"
    );
    let weights =
        matches!(extension, "safetensors" | "npz" | "onnx" | "h5" | "hdf5" | "msgpack" | "tflite" | "mlmodel" | "ot");
    let index = lower.ends_with(".index.json");
    if lower.starts_with("adapter_model") || lower.starts_with("adapter.") {
        if index || stem.contains("-of-") {
            return Some(Foreign::Shard);
        }
        if pickle {
            return Some(Foreign::AdapterPickle);
        }
    }
    let whole =
        ["model.", "model-", "pytorch_model", "consolidated", "tf_model", "flax_model", "diffusion_pytorch_model"];
    if whole.iter().any(|start| lower.starts_with(start)) && (pickle || weights || index) {
        return Some(Foreign::Model);
    }
    if lower.ends_with("adapters.safetensors") || lower == "adapters.npz" {
        return Some(Foreign::Mlx);
    }
    if extension == "gguf" || extension == "ggml" {
        return Some(Foreign::Gguf);
    }
    if weights || index {
        return Some(Foreign::Weights);
    }
    if pickle && file_left_out(lower).is_none() {
        return Some(Foreign::Pickle);
    }
    CODE.contains(&extension).then_some(Foreign::Code)
}

impl Foreign {
    /// Code, what was found, and what to do. Without `adapter_model.safetensors`, other adapter weights are
    /// what is there instead of it, not beside it.
    pub(super) fn refusal(self, lower: &str, has_weights: bool) -> (Code, &'static str, &'static str) {
        let again = "save the adapter again with save_pretrained(..., safe_serialization=True)";
        let remove = "move it out of the folder, so that only one adapter is there";
        let beside = |code: Code| if has_weights { WEIGHTS_AMBIGUOUS } else { code };
        match self {
            Self::Shard => (
                WEIGHTS_SHARDED,
                "one shard of the adapter weights or their index",
                "save the adapter as one file: save_pretrained(..., max_shard_size=\"50GB\")",
            ),
            Self::AdapterPickle => {
                (beside(WEIGHTS_PICKLE), "adapter weights as a pickle", if has_weights { remove } else { again })
            }
            Self::Model => (ADAPTER_AMBIGUOUS, "weights of a whole model, merged or not", remove),
            Self::Mlx => (
                beside(WEIGHTS_MISSING),
                "adapter weights of MLX",
                if has_weights { remove } else { "convert the MLX adapter to PEFT first" },
            ),
            Self::Gguf => (
                beside(WEIGHTS_MISSING),
                "a GGUF file",
                if has_weights { remove } else { "give the PEFT folder that it was converted from" },
            ),
            Self::Weights if lower.ends_with(".index.json") => (WEIGHTS_AMBIGUOUS, "an index of other weights", remove),
            Self::Weights => {
                (beside(WEIGHTS_MISSING), "weights under another name", if has_weights { remove } else { again })
            }
            Self::Pickle => (UNEXPECTED_PICKLE, "a file that runs code when it is opened", "move it out of the folder"),
            Self::Code => (UNEXPECTED_FILE, "a program", "move it out of the folder; packages hold no code"),
        }
    }
}
