//! What the weights file holds.

use super::name::{Side, TensorName};
use super::unread;
use crate::digest::Digest;
use crate::safetensors::Tensor;

/// Everything that one pass over the weights tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightsFacts {
    /// Digest of the whole file.
    pub sha256: Digest,
    /// Its size.
    pub size: u64,
    /// The dtype of every tensor.
    pub dtype: String,
    /// The LoRA matrices, sorted by name.
    pub tensors: Vec<TensorFact>,
    /// The modules that have both matrices, sorted.
    pub pairs: Vec<Pair>,
    /// Values in all tensors.
    pub parameters: u64,
}

/// One LoRA matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorFact {
    /// Its full name.
    pub name: String,
    /// The module path in the base, such as `model.layers.0.self_attn.q_proj`.
    pub module: String,
    /// Which of the two it is.
    pub side: Side,
    /// Its dtype.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Digest of its bytes.
    pub sha256: Digest,
    /// Whether every value is zero.
    pub zero: bool,
}

/// The two matrices of one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The module path in the base.
    pub module: String,
    /// The rank, from the shapes.
    pub rank: u64,
    /// Input width: the columns of A.
    pub input: u64,
    /// Output width: the rows of B.
    pub output: u64,
}

impl Pair {
    /// The last component of the module path: `q_proj`.
    pub fn kind(&self) -> &str {
        self.module.rsplit('.').next().unwrap_or(&self.module)
    }

    /// The layer number: the first component of the path that is a number.
    pub fn layer(&self) -> Option<u64> {
        layer_of(&self.module)
    }
}

/// The layer number in a module path.
pub(in crate::adapter) fn layer_of(module: &str) -> Option<u64> {
    module.split('.').find(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

/// The fact about a tensor whose values are not read yet.
pub(super) fn fact(name: &TensorName, tensor: &Tensor) -> TensorFact {
    TensorFact {
        name: tensor.name.clone(),
        module: name.module.clone(),
        side: name.side,
        dtype: tensor.dtype.clone(),
        shape: tensor.shape.clone(),
        sha256: unread(),
        zero: false,
    }
}

/// How many values a tensor has.
pub(super) fn count(tensor: &Tensor) -> u64 {
    tensor.shape.iter().fold(1, |n, d| n.saturating_mul(*d))
}
