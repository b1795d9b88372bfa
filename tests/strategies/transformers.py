"""Encoders of many layers as graphs, without a model behind them."""

from __future__ import annotations

from cutter_gui.core import Graph, GraphBuilder

HIDDEN, TOKENS, HEADS = 64, 128, 4
WIDE = (1, TOKENS, HIDDEN)


def transformer(layers: int) -> Graph:
    """Builds an encoder; one mask feeds all layers, and layer i ends at ``layer<i>/out``."""
    builder = GraphBuilder("onnx")
    builder.add_input("ids")
    builder.add_input("attention")
    builder.add_initializer("words", 4 * 1000 * HIDDEN)
    _add(builder, "Unsqueeze", ["attention"], "mask", (1, 1, 1, TOKENS))
    value = _add(builder, "Gather", ["words", "ids"], "embedded", WIDE)
    for layer in range(layers):
        value = _layer(builder, f"layer{layer}", value)
    builder.add_output(value)
    return builder.build()


def _layer(builder: GraphBuilder, at: str, value: str) -> str:
    heads = []
    for part in ("query", "key", "value"):
        flat = _dense(builder, f"{at}/{part}", value, HIDDEN)
        builder.add_node("Constant", [], [f"{at}/{part}/shape"])
        shaped = _add(builder, "Reshape", [flat, f"{at}/{part}/shape"], f"{at}/{part}/split", WIDE)
        heads.append(_add(builder, "Transpose", [shaped], f"{at}/{part}/heads", WIDE))
    square = (1, HEADS, TOKENS, TOKENS)
    scores = _add(builder, "MatMul", heads[:2], f"{at}/scores", square)
    scaled = _add(builder, "Div", [scores], f"{at}/scaled", square)
    masked = _add(builder, "Add", [scaled, "mask"], f"{at}/masked", square)
    weights = _add(builder, "Softmax", [masked], f"{at}/softmax", square)
    context = _add(builder, "MatMul", [weights, heads[2]], f"{at}/context", WIDE)
    merged = _add(builder, "Reshape", [context], f"{at}/merged", WIDE)
    attended = _dense(builder, f"{at}/output", merged, HIDDEN)
    summed = _add(builder, "Add", [attended, value], f"{at}/residual", WIDE)
    normal = _normalized(builder, f"{at}/attention", summed, f"{at}/attention/out")
    inner = _add(
        builder, "Gelu", [_dense(builder, f"{at}/inner", normal, 4 * HIDDEN)], f"{at}/gelu", (1, TOKENS, 4 * HIDDEN)
    )
    outer = _dense(builder, f"{at}/outer", inner, HIDDEN)
    return _normalized(builder, at, _add(builder, "Add", [outer, normal], f"{at}/residual2", WIDE), f"{at}/out")


def _dense(builder: GraphBuilder, at: str, value: str, width: int) -> str:
    builder.add_initializer(f"{at}/weight", 4 * HIDDEN * width)
    builder.add_initializer(f"{at}/bias", 4 * width)
    product = _add(builder, "MatMul", [value, f"{at}/weight"], f"{at}/matmul", (1, TOKENS, width))
    return _add(builder, "Add", [product, f"{at}/bias"], f"{at}/add", (1, TOKENS, width))


def _normalized(builder: GraphBuilder, at: str, value: str, out: str) -> str:
    narrow = (1, TOKENS, 1)
    mean = _add(builder, "ReduceMean", [value], f"{at}/mean", narrow)
    centred = _add(builder, "Sub", [value, mean], f"{at}/centred", WIDE)
    squared = _add(builder, "Pow", [centred], f"{at}/squared", WIDE)
    variance = _add(builder, "ReduceMean", [squared], f"{at}/variance", narrow)
    root = _add(builder, "Sqrt", [variance], f"{at}/root", narrow)
    return _add(builder, "Div", [centred, root], out, WIDE)


def _add(builder: GraphBuilder, op: str, inputs: list[str], output: str, shape: tuple[int, ...]) -> str:
    builder.add_node(op, inputs, [output])
    builder.set_type(output, 1, shape)
    return output
