//! Looking at every value without turning it into a number: exponent bits tell NaN and infinity.

/// What was seen of a tensor's values.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// How many were NaN or infinite.
    pub(super) non_finite: u64,
    /// Whether any was other than plus or minus zero.
    pub(super) non_zero: bool,
}

impl Seen {
    /// Looks at whole little-endian values of `dtype`.
    pub(super) fn look(&mut self, dtype: &str, bytes: &[u8]) {
        match dtype {
            "F32" => {
                let (words, _) = bytes.as_chunks::<4>();
                self.count(words.iter().map(|w| u32::from_le_bytes(*w)), 0x7f80_0000, 0x7fff_ffff);
            }
            "F16" => self.halves(bytes, 0x7c00),
            _ => self.halves(bytes, 0x7f80),
        }
    }

    fn halves(&mut self, bytes: &[u8], exponent: u32) {
        let (words, _) = bytes.as_chunks::<2>();
        self.count(words.iter().map(|w| u32::from(u16::from_le_bytes(*w))), exponent, 0x7fff);
    }

    fn count(&mut self, values: impl Iterator<Item = u32>, exponent: u32, magnitude: u32) {
        let (mut bad, mut any) = (0_u64, 0_u32);
        for value in values {
            bad += u64::from(value & exponent == exponent);
            any |= value & magnitude;
        }
        self.non_finite += bad;
        self.non_zero |= any != 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    fn look(dtype: &str, bytes: &[u8]) -> (u64, bool) {
        let mut seen = Seen::default();
        seen.look(dtype, bytes);
        (seen.non_finite, seen.non_zero)
    }

    #[test]
    fn bits_decide() {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(look("F32", &value.to_le_bytes()), (1, true));
        }
        assert_eq!(look("F32", &f32::MAX.to_le_bytes()), (0, true));
        assert_eq!(look("F32", &(-0.0_f32).to_le_bytes()), (0, false));
        assert_eq!(look("F32", &f32::from_bits(1).to_le_bytes()), (0, true));
        assert_eq!(look("F16", &0x7c00_u16.to_le_bytes()), (1, true));
        assert_eq!(look("F16", &0x7bff_u16.to_le_bytes()), (0, true));
        assert_eq!(look("BF16", &0x7f80_u16.to_le_bytes()), (1, true));
        assert_eq!(look("BF16", &0x7c00_u16.to_le_bytes()), (0, true));
        assert_eq!(look("BF16", &0x8000_u16.to_le_bytes()), (0, false));
    }
}
