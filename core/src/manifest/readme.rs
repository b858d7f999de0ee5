//! The `README.md` of a package: a model card made from the manifest alone.
//!
//! It holds nothing that the manifest does not hold, so it can be made again and compared: no text of a trainer,
//! no path of a machine, no claim beside the evidence. Clause: specification, section 2.

use std::fmt::Write as _;

use super::{Manifest, SuiteCount};

/// The text that stands in the package beside this manifest. It does not depend on `files`.
pub fn generate(manifest: &Manifest) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(manifest, &mut text);
    text
}

fn write(manifest: &Manifest, out: &mut String) -> std::fmt::Result {
    let Manifest { patch, version, base, adapter, dataset, evidence, .. } = manifest;
    writeln!(out, "---")?;
    writeln!(out, "base_model: \"{}\"", base.repo)?;
    writeln!(out, "base_model_relation: adapter")?;
    writeln!(out, "library_name: peft")?;
    writeln!(out, "license: other")?;
    writeln!(out, "license_name: see-license-file")?;
    writeln!(out, "license_link: LICENSE.txt")?;
    writeln!(out, "tags:")?;
    for tag in ["adapter-patch", "lora", "retoque"] {
        writeln!(out, "- {tag}")?;
    }
    writeln!(out, "---\n")?;
    writeln!(out, "# {patch} {version}\n")?;
    writeln!(
        out,
        "A LoRA adapter for one exact base revision. The digest of `manifest.json` identifies this version.\n"
    )?;
    writeln!(out, "| | |")?;
    writeln!(out, "|---|---|")?;
    writeln!(out, "| base | `{}` |", base.repo)?;
    writeln!(out, "| base commit | `{}` |", base.commit)?;
    writeln!(out, "| base licence | {} |", base.licence)?;
    let (rank, alpha, dropout) = (adapter.rank, &adapter.alpha, &adapter.dropout);
    writeln!(out, "| adapter | LoRA, rank {rank}, alpha {alpha}, dropout {dropout}, {} |", adapter.dtype)?;
    writeln!(out, "| effective scale | {} ({}) |", adapter.scale.value, adapter.scale.rule)?;
    let modules: Vec<String> = adapter.modules.iter().map(|m| format!("`{m}`")).collect();
    writeln!(out, "| modules | {} |", modules.join(", "))?;
    let (layers, tensors, parameters) = (adapter.layers.len(), adapter.tensors, adapter.parameters);
    writeln!(out, "| size | {layers} layers, {tensors} tensors, {parameters} parameters |")?;
    let (rows, families) = (dataset.rows, dataset.families);
    writeln!(out, "| dataset | {rows} rows in {families} families, {}, {} |\n", dataset.source, dataset.licence)?;

    writeln!(out, "## Evidence: {}\n", evidence.state)?;
    writeln!(out, "Cases passed, counted by `{}`:\n", evidence.grader)?;
    writeln!(out, "| suite | cases | base | with three examples | patched | adapter off |")?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for (name, suite) in
        [("held-out", evidence.held_out), ("validation", evidence.validation), ("regression", evidence.regression)]
    {
        let SuiteCount { cases, base, control, patched, disabled } = suite;
        writeln!(out, "| {name} | {cases} | {base} | {control} | {patched} | {disabled} |")?;
    }
    let (introduced, repaired) = (evidence.introduced, evidence.repaired);
    let off = if evidence.disabled_equals_base { "reproduces" } else { "does not reproduce" };
    writeln!(
        out,
        "\nCases of the regression suite lost: {introduced}, gained: {repaired}. With the adapter switched off, \
         the model {off} the outputs of the base. Only held-out counts speak for this version; outputs are attested \
         by the worker that made them, counts can be recomputed from the private record.\n"
    )?;

    writeln!(out, "## Use\n")?;
    writeln!(out, "```python")?;
    writeln!(out, "from peft import PeftModel")?;
    writeln!(out, "from transformers import AutoModelForCausalLM, AutoTokenizer\n")?;
    writeln!(out, "base, revision = \"{}\", \"{}\"", base.repo, base.commit)?;
    writeln!(out, "tokenizer = AutoTokenizer.from_pretrained(base, revision=revision)")?;
    writeln!(out, "model = AutoModelForCausalLM.from_pretrained(base, revision=revision)")?;
    writeln!(out, "model = PeftModel.from_pretrained(model, \".\")  # this folder")?;
    writeln!(out, "```\n")?;
    writeln!(out, "The licence of this adapter stands in `LICENSE.txt`; without that file no licence is granted.")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn it_is_a_function_of_the_manifest_without_its_files() {
        let mut manifest = sample::manifest();
        let text = generate(&manifest);
        assert!(text.starts_with("---\nbase_model: \"Qwen/Qwen2.5-0.5B-Instruct\"\n") && text.ends_with(".\n"));
        assert!(text.contains("| held-out | 15 | 1 | 1 | 12 | 1 |") && !text.contains("  \n"));
        manifest.files.clear();
        assert_eq!(generate(&manifest), text);
        manifest.evidence.held_out.patched = 13;
        assert_ne!(generate(&manifest), text);
    }
}
