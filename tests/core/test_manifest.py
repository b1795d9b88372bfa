"""The manifest comes back as it was, for us and for any YAML reader, and says where it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from cutter_gui.core.errors import CutterError
from cutter_gui.core.manifest import (
    Manifest,
    StageEntry,
    StageFiles,
    TensorEntry,
    TransferEntry,
    manifest_text,
    parse_manifest,
    read_manifest,
)
from cutter_gui.core.spec import ModelRef

EXAMPLE = """\
format: cutter-gui/pipeline
version: 1
source: {path: ../bert.onnx, kind: onnx, fingerprint: "sha256:ab"}
transport: relay
stages:
  - index: 0
    files: {sendrecv: bert_0.onnx, plain: bert_0.plain.onnx, weights: bert_0.onnx.data}
    inputs:   [{name: input_ids, dtype: int64, shape: [1, 16]}]
    outputs:  []
    receives: []
    sends:    [{to: 1, tag: 0, tensors: [{name: "186", dtype: float32, shape: [1, 16, 128]}]}]
  - index: 1
    files: {}
    inputs:   []
    outputs:  [{name: logits, dtype: float32, shape: null}]
    receives: [{from: 0, tag: 0, tensors: [{name: "186", dtype: float32, shape: [1, 16, 128]}]}]
    sends:    []
"""
LAYER = TensorEntry("186", "float32", (1, 16, 128))
EXAMPLE_MANIFEST = Manifest(
    ModelRef("../bert.onnx", "onnx", "sha256:ab"),
    "relay",
    (
        StageEntry(
            0,
            StageFiles(sendrecv="bert_0.onnx", plain="bert_0.plain.onnx", weights="bert_0.onnx.data"),
            inputs=(TensorEntry("input_ids", "int64", (1, 16)),),
            sends=(TransferEntry(1, 0, (LAYER,)),),
        ),
        StageEntry(1, outputs=(TensorEntry("logits", "float32", None),), receives=(TransferEntry(0, 0, (LAYER,)),)),
    ),
)

names = st.text(min_size=1) | st.sampled_from(["186", "0186", "1e3", "12:30", "~", "null", "no", "=", "- a", "a: b"])
files = st.text("abc_.0\n🙂 #:", min_size=1).filter(lambda name: name not in (".", ".."))
dims = st.none() | st.integers(-1, 2**40) | names
tensors = st.builds(TensorEntry, names, st.sampled_from(["float32", "int64"]), st.none() | st.lists(dims).map(tuple))
tensor_lists = st.lists(tensors, max_size=4).map(tuple)
transfers = st.lists(st.builds(TransferEntry, st.integers(0, 1), st.just(0), tensor_lists), max_size=2).map(tuple)
stage_files = st.builds(StageFiles, *[st.none() | files] * 5)


def stages(index: int) -> st.SearchStrategy[StageEntry]:
    return st.builds(StageEntry, st.just(index), stage_files, tensor_lists, tensor_lists, transfers, transfers)


manifests = st.builds(
    Manifest,
    st.builds(ModelRef, names, names, st.none() | names),
    st.sampled_from(["relay", "direct"]),
    st.tuples(stages(0), stages(1)),
)


def plain_data(manifest: Manifest) -> dict[str, Any]:
    """A manifest as the plain values that a YAML reader should find."""

    def tensor(entry: TensorEntry) -> dict[str, Any]:
        shape = None if entry.shape is None else list(entry.shape)
        return {"name": entry.name, "dtype": entry.dtype, "shape": shape}

    def transfer(entry: TransferEntry, peer: str) -> dict[str, Any]:
        return {peer: entry.peer, "tag": entry.tag, "tensors": [tensor(each) for each in entry.tensors]}

    source = {"path": manifest.source.path, "kind": manifest.source.kind, "fingerprint": manifest.source.fingerprint}
    return {
        "format": "cutter-gui/pipeline",
        "version": 1,
        "source": {key: value for key, value in source.items() if value is not None},
        "transport": manifest.transport,
        "stages": [
            {
                "index": stage.index,
                "files": dict(stage.files.items()),
                "inputs": [tensor(entry) for entry in stage.inputs],
                "outputs": [tensor(entry) for entry in stage.outputs],
                "receives": [transfer(entry, "from") for entry in stage.receives],
                "sends": [transfer(entry, "to") for entry in stage.sends],
            }
            for stage in manifest.stages
        ],
    }


def test_it_is_written_as_in_the_contract() -> None:
    assert manifest_text(EXAMPLE_MANIFEST) == EXAMPLE
    assert parse_manifest(EXAMPLE, "pipeline.yaml") == EXAMPLE_MANIFEST


@given(manifests)
@settings(max_examples=40)  # each is a long text for a parser in pure Python
def test_any_manifest_comes_back(manifest: Manifest) -> None:
    assert parse_manifest(manifest_text(manifest), "pipeline.yaml") == manifest


@given(manifests, st.sampled_from([(1, 1), (1, 2)]))
@settings(max_examples=40)
def test_other_yaml_readers_find_the_same_values(manifest: Manifest, version: tuple[int, int]) -> None:
    reader = YAML(typ="safe", pure=True)
    reader.version = version
    assert reader.load(manifest_text(manifest)) == plain_data(manifest)


def test_what_is_too_long_for_a_line_is_listed_below_one_another() -> None:
    many = tuple(TensorEntry(f"tensor_{i}", "float32", (1, "batch", None)) for i in range(9))
    stage = StageEntry(0, inputs=many, sends=(TransferEntry(0, 0, many),))
    text = manifest_text(Manifest(ModelRef("m.onnx", "onnx"), stages=(stage,)))
    assert max(map(len, text.splitlines())) <= 120
    assert text.count("      - {name: tensor_3, dtype: float32, shape: [1, batch, null]}") == 2


def test_a_symbol_that_looks_like_a_number_or_like_null_stays_a_symbol() -> None:
    entry = TensorEntry("x", "float32", ("12", "null", "~", 12, None))
    manifest = Manifest(ModelRef("m.onnx", "onnx"), stages=(StageEntry(0, inputs=(entry,)),))
    assert parse_manifest(manifest_text(manifest), "p").stages[0].inputs == (entry,)


def test_it_is_found_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "pipeline.yaml").write_text(EXAMPLE)
    assert read_manifest(tmp_path) == read_manifest(tmp_path / "pipeline.yaml") == EXAMPLE_MANIFEST
    assert EXAMPLE_MANIFEST.files() == ("bert_0.onnx", "bert_0.plain.onnx", "bert_0.onnx.data")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CutterError, match=r"the folder holds no pipeline\.yaml \(.*empty\): give a folder"):
        read_manifest(tmp_path / "empty")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("index: 1", "index: 2", "stage 2 stands at place 1 (p:12:12): list the stages in order"),
        ("index: 1", 'index: "1"', "index must be an integer (p:12:12)"),
        ("to: 1", "to: 2", "there is no stage 2 (p:11:21): give 0 to 1"),
        ("{to: 1", "{from: 1", 'unknown key "from" (p:11:17)'),
        ("bert_0.plain.onnx", "../x.onnx", "a stage's file must lie beside the manifest (p:7:43): give its bare name"),
        ("[1, 16]", "[1, [16]]", "a dimension must be a single value (p:8:59)"),
        ("shape: null", "shape: 3", "shape must be a list (p:15:54)"),
        ("shape: null", "shaep: null", 'unknown key "shaep" (p:15:47): did you mean "shape"?'),
        ("kind: onnx, ", "", "source has no kind (p:3:9)"),
        ("transport: relay\n", "", "the file has no transport (p:1:1)"),
        ("version: 1", "version: 7", "unknown version (p:2:10)"),
        ("cutter-gui/pipeline", "cutter-gui/cuts", "the file is of another format (p:1:9)"),
    ],
)
def test_an_error_names_the_place_and_a_remedy(old: str, new: str, message: str) -> None:
    text = EXAMPLE.replace(old, new, 1)
    with pytest.raises(CutterError) as caught:
        parse_manifest(text, "p")
    assert message in str(caught.value)
    assert caught.value.remedy
