"""Damage to models and cut specs: of bytes, of fields, of words."""

from __future__ import annotations

import random
from collections.abc import Callable

import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper

_NAMES = [
    "",
    "x",
    "0",
    "..",
    "a/b",
    "\u202eright to left",
    "\U0001f600",
    "<b>&amp;</b>",
    "new\nline",
    "n" * 5000,
    "\ud7ff",
]
_NUMBERS = [-(1 << 63), -1, 0, 1, 7, 1 << 31, (1 << 63) - 1]
_PLACES = ["../outside.bin", "/etc/hostname", "weights.bin", "", "a/../../b", ".", "model.onnx", "\0"]


def damaged_bytes(data: bytes, draw: random.Random) -> bytes:
    """Flips, cuts, repeats or inserts a few bytes."""
    damaged = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(damaged) + 1)
        kind = draw.randrange(5)
        if kind == 0 and at < len(damaged):
            damaged[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del damaged[at:]
        elif kind == 2:
            del damaged[at : at + draw.randint(1, 40)]
        elif kind == 3:
            damaged[at:at] = damaged[at : at + draw.randint(1, 200)]
        else:
            damaged[at:at] = draw.randbytes(draw.randint(1, 12))
    return bytes(damaged)


def damaged_model(model: ModelProto, draw: random.Random) -> ModelProto:
    """Changes a few fields so that the file still parses and its graph may make no sense."""
    damaged = ModelProto()
    damaged.CopyFrom(model)
    for _ in range(draw.choice((1, 1, 2, 5))):
        draw.choice(_MODEL_DAMAGES)(damaged, draw)
    return damaged


def _some_node(model: ModelProto, draw: random.Random) -> NodeProto:
    return draw.choice(model.graph.node) if model.graph.node else model.graph.node.add()


def _some_name(model: ModelProto, draw: random.Random) -> str:
    names = [name for node in model.graph.node for name in (*node.input, *node.output)]
    return draw.choice(names) if names and draw.random() < 0.7 else draw.choice(_NAMES)


def _rename_input(model: ModelProto, draw: random.Random) -> None:
    node = _some_node(model, draw)
    if node.input:
        node.input[draw.randrange(len(node.input))] = _some_name(model, draw)


def _rename_output(model: ModelProto, draw: random.Random) -> None:
    node = _some_node(model, draw)
    if node.output:
        node.output[draw.randrange(len(node.output))] = _some_name(model, draw)


def _change_op(model: ModelProto, draw: random.Random) -> None:
    node = _some_node(model, draw)
    node.op_type = draw.choice(["If", "Loop", "Scan", "Add", "Constant", "Send", "Recv", "Nothing", ""])
    node.domain = draw.choice(["", "com.microsoft", "ai.onnx.ml", "nowhere"])


def _drop_node(model: ModelProto, draw: random.Random) -> None:
    if model.graph.node:
        del model.graph.node[draw.randrange(len(model.graph.node))]


def _repeat_node(model: ModelProto, draw: random.Random) -> None:
    model.graph.node.append(_some_node(model, draw))


def _shuffle_nodes(model: ModelProto, draw: random.Random) -> None:
    nodes = list(model.graph.node)
    draw.shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _odd_attribute(model: ModelProto, draw: random.Random) -> None:
    attribute = _some_node(model, draw).attribute.add()
    attribute.name = draw.choice(["axis", "then_branch", "body", "value", "element_types", "tag", ""])
    attribute.type = draw.choice(onnx.AttributeProto.AttributeType.values())
    if draw.random() < 0.3:
        attribute.g.node.append(_some_node(model, draw))


def _odd_initializer(model: ModelProto, draw: random.Random) -> None:
    tensor = draw.choice(model.graph.initializer) if model.graph.initializer else model.graph.initializer.add()
    kind = draw.randrange(4)
    if kind == 0:
        tensor.data_type = draw.choice([0, 1, 8, 16, 22, 99, -3])
    elif kind == 1:
        tensor.dims.append(draw.choice(_NUMBERS))
    elif kind == 2:
        tensor.ClearField("raw_data")
    else:
        tensor.data_location = TensorProto.EXTERNAL
        for key in ("location", "offset", "length"):
            value = draw.choice(_PLACES) if key == "location" else str(draw.choice([*_NUMBERS, "x", ""]))
            tensor.external_data.add(key=key, value=value)


def _odd_output(model: ModelProto, draw: random.Random) -> None:
    model.graph.output.append(onnx.ValueInfoProto(name=_some_name(model, draw)))


def _odd_input(model: ModelProto, draw: random.Random) -> None:
    value = model.graph.input.add()
    value.name = _some_name(model, draw)
    if draw.random() < 0.7:
        value.type.CopyFrom(
            helper.make_tensor_type_proto(draw.choice([0, 1, 7, 8, 16, 60]), [draw.choice(_NUMBERS), "n", ""])
        )


def _odd_opset(model: ModelProto, draw: random.Random) -> None:
    kind = draw.randrange(3)
    if kind == 0:
        del model.opset_import[:]
    elif kind == 1:
        model.opset_import.append(
            helper.make_opsetid(draw.choice(["", "com.microsoft", "x"]), draw.choice([0, 1, 9999]))
        )
    else:
        model.ir_version = draw.choice([0, 1, 3, 8, 99])


_MODEL_DAMAGES: list[Callable[[ModelProto, random.Random], None]] = [
    _rename_input,
    _rename_output,
    _change_op,
    _drop_node,
    _repeat_node,
    _shuffle_nodes,
    _odd_attribute,
    _odd_initializer,
    _odd_output,
    _odd_input,
    _odd_opset,
]


def damaged_text(text: str, draw: random.Random) -> bytes:
    """Damages a cut spec: by bytes, by lines, or by words that YAML makes something of."""
    if draw.random() < 0.4:
        return damaged_bytes(text.encode(), draw)
    lines = text.split("\n")
    for _ in range(draw.choice((1, 1, 3))):
        at = draw.randrange(len(lines))
        kind = draw.randrange(5)
        if kind == 0:
            lines.insert(at, draw.choice(lines))
        elif kind == 1:
            del lines[at]
            lines = lines or [""]
        elif kind == 2:
            lines[at] = draw.choice(["", " ", "  ", "\t", "- "]) + lines[at]
        elif kind == 3:
            words = ["*a", "&a", "!!python/object:os.system", "{", "}", "[]", "~", "<<: *a", "|", ">", "? x", "%YAML 2"]
            lines[at] += draw.choice(words)
        else:
            lines[at] = lines[at].replace("186", draw.choice(["0186", "1e3", "[[" * 400, "308", "'", '"', "71"]))
    return "\n".join(lines).encode("utf-8", "surrogatepass")
