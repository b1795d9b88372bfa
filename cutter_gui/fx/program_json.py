"""From the JSON of a ``.pt2`` archive to a `Draft`, without torch.

The JSON names the nodes but leaves out two kinds that torch's own graph has, which are made again here under torch's
names: a ``getitem`` for each element of a tuple, and a ``get_attr`` for each branch of a higher-order operator. Names
of unnamed ones follow torch.fx (``name``, ``name_1``, ...), so that they equal what ``torch.export.load`` shows.

Steps: (1) what each graph input stands for, from the signature: a weight by its qualified name, or an input; weights
that lie in the same bytes are one; (2) the nodes in order; (3) the types; (4) the outputs, values that a run leaves in
a buffer apart from those it returns.

Complexity: linear in the size of the JSON. Left out: shape guards, which hold for every stage alike.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cutter_gui.core.dtypes import OPAQUE, UNKNOWN, dtype_of
from cutter_gui.core.errors import one_line
from cutter_gui.core.format import BodyStep
from cutter_gui.core.free_names import FreeNames
from cutter_gui.core.graph import Dim
from cutter_gui.fx.archive import Archive
from cutter_gui.fx.draft import Draft, DraftNode, DraftWeight, ValueType
from cutter_gui.fx.op_effects import Effects, effects_of
from cutter_gui.fx.program_arguments import Value, argument_of, plain, values_in
from cutter_gui.fx.scalar_types import BY_SCHEMA_NUMBER, COMPLEX32_BYTES
from cutter_gui.fx.structure import structure_text, tree_from_treespec
from cutter_gui.fx.symbols import size_text

_SINGLE = ("as_tensor", "as_sym_int", "as_sym_bool", "as_sym_float", "as_custom_obj")
_LISTS = ("as_tensors", "as_sym_ints", "as_sym_bools", "as_sym_floats", "as_optional_tensors")
_CONSTANTS = ("as_int", "as_float", "as_bool", "as_string", "as_none")
_WEIGHT_KEYS = (
    ("parameter", "parameter_name"),
    ("buffer", "buffer_name"),
    ("tensor_constant", "tensor_constant_name"),
    ("custom_obj", "custom_obj_name"),
)
_SHOWN = 120


@dataclass(frozen=True)
class _Weight:
    """A weight as the archive's configuration lists it."""

    name: str
    stored: int
    place: tuple[object, ...]
    kind: ValueType


def read_program(archive: Archive, way: Sequence[BodyStep] = ()) -> Draft:
    """Reads the program in an archive, or a branch of one of its higher-order operators.

    Args:
        archive: The archive.
        way: From the program's graph into a branch of one of its nodes, and on; nothing for the program itself.

    Raises:
        CutterError: The archive is damaged.
        KeyError, TypeError, ValueError, AttributeError, IndexError: The JSON is not as torch writes it.
    """
    model = archive.model_name()
    program = archive.json(f"models/{model}.json")
    weights: dict[str, _Weight] = {}
    for folder, kind in (("weights", "weights"), ("constants", "constants")):
        config = archive.json(f"data/{folder}/{model}_{kind}_config.json", required=False)
        for name, entry in (config or {}).get("config", {}).items():
            weights[name] = _stored_weight(archive, folder, name, entry)
    reader = _Reader(program, weights)
    draft = reader.draft()
    for step in way:
        reader = _Reader(_as_program(program, reader.branches[step.node][step.body]), {})
        draft = reader.draft()
    return draft


def _as_program(program: Mapping[str, Any], branch: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a branch as a program of its own, which gets all it reads as inputs."""
    signature = {
        "input_specs": [{"user_input": {"arg": argument}} for argument in branch["inputs"]],
        "output_specs": [{"user_output": {"arg": argument}} for argument in branch["outputs"]],
    }
    return {**program, "graph_module": {"graph": branch, "signature": signature, "module_call_graph": []}}


def _stored_weight(archive: Archive, folder: str, name: str, entry: Mapping[str, Any]) -> _Weight:
    path = entry["path_name"]
    payload = archive.payload(f"data/{folder}/{path}")
    meta = entry.get("tensor_meta")
    if not meta:
        return _Weight(name, payload.size if payload else 0, (folder, path), ValueType(OPAQUE, None))
    kind = _tensor_type(meta)
    stored = _bytes_of(kind)
    if stored is None:
        stored = payload.size if payload else 0
    if (meta.get("device") or {}).get("type") == "meta":  # all of them lie in one file, which is empty
        return _Weight(name, stored, (name,), kind)
    place = (folder, path, *(json.dumps(meta.get(key)) for key in ("dtype", "sizes", "strides", "storage_offset")))
    return _Weight(name, stored, place, kind)


def _bytes_of(kind: ValueType) -> int | None:
    bits = dtype_of(kind.dtype).bits or (COMPLEX32_BYTES * 8 if kind.dtype == OPAQUE else 0)
    sizes = [size for size in kind.shape or () if isinstance(size, int)]
    if kind.shape is None or len(sizes) < len(kind.shape):
        return None
    return (math.prod(sizes) * bits + 7) // 8


def _tensor_type(meta: Mapping[str, Any]) -> ValueType:
    return ValueType(BY_SCHEMA_NUMBER.get(meta["dtype"], UNKNOWN), tuple(_dim(size) for size in meta["sizes"]))


def _dim(size: Mapping[str, Any]) -> Dim:
    if "as_int" in size and size["as_int"] is not None:
        return int(size["as_int"])
    return size_text(size["as_expr"]["expr_str"])


@dataclass
class _Reader:
    """Turns one program into a draft."""

    program: Mapping[str, Any]
    weights: Mapping[str, _Weight]
    nodes: list[DraftNode] = field(default_factory=list)
    types: dict[str, ValueType] = field(default_factory=dict)
    branches: dict[int, list[Mapping[str, Any]]] = field(default_factory=dict)  # by the number of their node

    def draft(self) -> Draft:
        module = self.program["graph_module"]
        graph, signature = module["graph"], module["signature"]
        self._read_types(graph)
        self.held = self._inputs(signature, graph)
        self.names = FreeNames(
            [*self.held, *self.types, *(node["name"] for node in graph["nodes"] if node.get("name"))]
        )
        for node in graph["nodes"]:
            self._add(node)
        outputs, updates = self._outputs(signature, graph)
        call = module["module_call_graph"][0]["signature"] if module["module_call_graph"] else None
        return Draft(
            inputs=tuple(self.inputs),
            weights=tuple(self._draft_weights()),
            nodes=tuple(self.nodes),
            outputs=tuple(name for name in outputs if isinstance(name, Value)),
            updates=tuple(updates),
            types=self.types,
            structure=self._structure(call, outputs),
            metadata=self._metadata(),
        )

    def _read_types(self, graph: Mapping[str, Any]) -> None:
        for name, meta in graph["tensor_values"].items():
            self.types[name] = _tensor_type(meta)
        for kind in ("sym_int_values", "sym_bool_values", "sym_float_values", "custom_obj_values"):
            for name in graph.get(kind) or {}:
                self.types[name] = ValueType(OPAQUE, None)

    def _inputs(self, signature: Mapping[str, Any], graph: Mapping[str, Any]) -> dict[str, str]:
        """Reads what the graph's inputs stand for; returns the tensor's name for each name of a graph input."""
        held: dict[str, str] = {}
        self.inputs: list[str] = []
        self.input_constants: dict[str, object] = {}
        self.qualified: dict[str, str] = {}  # qualified name -> name of the graph input
        for position, (spec, argument) in enumerate(zip(signature["input_specs"], graph["inputs"], strict=True)):
            kind, content = argument_of(spec)
            target = next((content[key] for tag, key in _WEIGHT_KEYS if tag == kind), None)
            if target is not None:
                held[content["arg"]["name"]] = target
                self.qualified[target] = content["arg"]["name"]
                continue
            tag, value = argument_of(argument)
            if tag in _SINGLE:
                name = str(plain(tag, value))
            elif kind == "constant_input":
                name = content["name"] or f"arg{position}"
                self.input_constants[name] = plain(tag, value)
                self.types[name] = ValueType(OPAQUE, None)
            else:
                name = f"arg{position}" if kind != "token" else content["arg"]["name"]
                self.types[name] = ValueType(OPAQUE, None)
            held[name] = name
            self.inputs.append(name)
        self._merge(held, graph)
        return held

    def _merge(self, held: dict[str, str], graph: Mapping[str, Any]) -> None:
        """Makes weights that lie in the same bytes one, named by the first of them that a node reads."""
        groups: dict[tuple[object, ...], list[str]] = {}
        for target in self.qualified:
            weight = self.weights.get(target)
            groups.setdefault(weight.place if weight else (target,), []).append(target)
        read = {
            name
            for node in graph["nodes"]
            for item in node["inputs"]
            for name in values_in(plain(*argument_of(item["arg"])))
        }
        user_names = set(self.inputs) | {node.get("name") for node in graph["nodes"]} | set(graph["tensor_values"])
        user_names -= set(self.qualified.values())
        self.merged: list[tuple[str, list[str]]] = []
        for targets in groups.values():
            used = [target for target in targets if self.qualified[target] in read]
            first = (used or targets)[0]
            shown = first if first not in user_names else self.qualified[first]
            self.merged.append((shown, targets))
            for target in targets:
                held[self.qualified[target]] = shown

    def _draft_weights(self) -> Iterator[DraftWeight]:
        for shown, targets in self.merged:
            weight = self.weights.get(targets[0])
            kind = weight.kind if weight else self.types.get(self.qualified[targets[0]], ValueType(OPAQUE, None))
            for target in targets:
                self.types.pop(self.qualified[target], None)
            self.types[shown] = kind
            stored = weight.stored if weight else _bytes_of(kind) or 0
            others = tuple(target for target in targets if target != shown) if len(targets) > 1 else ()
            yield DraftWeight(shown, stored, others)

    def _add(self, node: Mapping[str, Any]) -> None:
        target = node["target"]
        scope = scope_of(node["metadata"].get("nn_module_stack", ""))
        arguments: dict[str, Any] = {}
        bodies: list[tuple[str, Mapping[str, Any]]] = []
        for position, item in enumerate(node["inputs"]):
            tag, content = argument_of(item["arg"])
            name = item["name"] or f"arg{position}"
            if tag == "as_graph":
                branch = self.names.take(content["name"])
                self._branch(branch, scope)
                bodies.append((branch, content["graph"]))
                arguments[name] = Value(branch)
                self.held[branch] = branch
            else:
                arguments[name] = plain(tag, content)
        effects = effects_of(target, arguments, returns_nothing=not node["outputs"])
        if bodies:
            effects = _with_bodies(effects, arguments, [graph for _, graph in bodies])
        if bodies:
            self.branches[len(self.nodes)] = [graph for _, graph in bodies]
        self._emit(node, target, arguments, effects, scope, tuple(name for name, _ in bodies))

    def _branch(self, name: str, scope: tuple[str, ...]) -> None:
        self.types[name] = ValueType(OPAQUE, None)
        self.nodes.append(DraftNode(name, "get_attr", (), scope=scope))

    def _emit(
        self,
        node: Mapping[str, Any],
        target: str,
        arguments: Mapping[str, Any],
        effects: Effects,
        scope: tuple[str, ...],
        bodies: tuple[str, ...],
    ) -> None:
        outputs = [argument_of(output) for output in node["outputs"]]
        single_in_tuple = (
            len(outputs) == 1
            and "torch.ops.higher_order" in target
            and node.get("is_hop_single_tensor_return") is False
            and outputs[0][0] != "as_none"
        )
        is_tuple = len(outputs) > 1 or (len(outputs) == 1 and outputs[0][0] in _LISTS) or single_in_tuple
        name = node.get("name") or self._implied_name(target, outputs, is_tuple)
        if len(outputs) == 1 and outputs[0][0] == "as_none":
            name = self.names.take(f"{_snake(target)}_unused")
        elif len(outputs) == 1 and not is_tuple:
            told = plain(*outputs[0])
            name = str(told) if isinstance(told, Value) else name
        self.nodes.append(
            DraftNode(
                name=name,
                op=op_label(target),
                inputs=tuple(self.held.get(value, value) for value in _all_values(arguments)),
                attributes=attribute_texts(arguments),
                scope=scope,
                mutates=self._named(arguments, effects.changed),
                aliases=self._named(arguments, effects.shared),
                random=effects.random,
                bodies=bodies,
            )
        )
        self.types.setdefault(name, ValueType(OPAQUE, None))
        if is_tuple:
            elements = outputs[0][1] if outputs[0][0] in _LISTS else None
            if elements is not None:
                tag = outputs[0][0][:-1]
                outputs = [argument_of(e) if tag == "as_optional_tensor" else (tag, e) for e in elements]
            self._elements(name, outputs, scope)

    def _implied_name(self, target: str, outputs: Sequence[tuple[str, Any]], is_tuple: bool) -> str:
        """The name torch gives a node that an older torch wrote without one."""
        if len(outputs) == 1 and not is_tuple:
            told = plain(*outputs[0])
            if isinstance(told, Value):
                return str(told)
        return self.names.take(_snake(target))

    def _elements(self, source: str, outputs: Sequence[tuple[str, Any]], scope: tuple[str, ...]) -> None:
        """Adds the getitem of each element of a tuple; an element that is a list has elements of its own."""
        for index, (tag, content) in enumerate(outputs):
            told = plain(tag, content)
            if isinstance(told, Value):
                name = str(told)
            else:
                name = self.names.take("as_none" if tag == "as_none" else "getitem")
                self.types[name] = ValueType(OPAQUE, None)
            self.nodes.append(
                DraftNode(
                    name,
                    "getitem",
                    (source,),
                    attributes=(("index", str(index)),),
                    scope=scope,
                    aliases=(source,),
                    element=index,
                )
            )
            if tag in _LISTS:
                self._elements(name, [(tag[:-1], item) for item in content], scope)

    def _named(self, arguments: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
        found = (value for name in names for value in values_in(arguments.get(name)))
        return tuple(dict.fromkeys(self.held.get(value, value) for value in found))

    def _outputs(
        self, signature: Mapping[str, Any], graph: Mapping[str, Any]
    ) -> tuple[list[object], list[tuple[str, str]]]:
        """Returns the model's outputs, each a `Value` or a constant, and what a run leaves in buffers and inputs."""
        outputs: list[object] = []
        updates: list[tuple[str, str]] = []
        for spec, argument in zip(signature["output_specs"], graph["outputs"], strict=True):
            kind, content = argument_of(spec)
            told = plain(*argument_of(argument))
            value = Value(self.held.get(told, told)) if isinstance(told, Value) else told
            if kind in ("user_output", "loss_output"):
                outputs.append(value)
                continue
            target = content.get("buffer_name") or content.get("parameter_name")
            name = self.qualified.get(target, "") if target else content.get("user_input_name", "")
            if kind.endswith("mutation") and name:
                updates.append((str(value), self.held.get(name, name)))
        return outputs, updates

    def _structure(self, call: Mapping[str, Any] | None, outputs: Sequence[object]) -> str:
        if call is None:
            return ""
        taken: list[object] = [
            self.input_constants[name] if name in self.input_constants else Value(name) for name in self.inputs
        ]
        inputs = tree_from_treespec(call["in_spec"], taken, Value)
        returned = tree_from_treespec(call["out_spec"], outputs, Value)
        return structure_text(inputs, returned)

    def _metadata(self) -> dict[str, str]:
        found = {f"opset {name}": str(version) for name, version in self.program.get("opset_version", {}).items()}
        version = self.program.get("schema_version", {})
        found["schema"] = f"{version.get('major', '?')}.{version.get('minor', '?')}"
        if self.program.get("torch_version"):
            found["torch"] = one_line(str(self.program["torch_version"]), 40)
        for name, limits in self.program.get("range_constraints", {}).items():
            low, high = limits.get("min_val"), limits.get("max_val")
            found[f"size {name}"] = f"{'?' if low is None else low} to {'any' if high is None else high}"
        return found


def _all_values(arguments: Mapping[str, Any]) -> Iterator[str]:
    for argument in arguments.values():
        yield from values_in(argument)


def _with_bodies(effects: Effects, arguments: Mapping[str, Any], bodies: Sequence[Mapping[str, Any]]) -> Effects:
    """Returns the effects of a higher-order operator: those of its bodies, told of all that it is given."""
    changes = shares = draws = False
    for body in bodies:
        changed, shared, random = _body_effects(body)
        changes, shares, draws = changes or changed, shares or shared, draws or random
    names = tuple(arguments)
    return Effects(
        names if changes else effects.changed, names if changes or shares else effects.shared, effects.random or draws
    )


def _body_effects(graph: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """Returns whether a body changes an input of its own, returns one's storage, and draws random numbers."""
    roots = {name for item in graph["inputs"] for name in values_in(plain(*argument_of(item)))}
    changes = draws = False
    for node in graph["nodes"]:
        arguments, bodies = {}, []
        for position, item in enumerate(node["inputs"]):
            tag, content = argument_of(item["arg"])
            if tag == "as_graph":
                bodies.append(content["graph"])
            else:
                arguments[item["name"] or f"arg{position}"] = plain(tag, content)
        effects = effects_of(node["target"], arguments, returns_nothing=not node["outputs"])
        if bodies:
            effects = _with_bodies(effects, arguments, bodies)
        draws = draws or effects.random
        touched = {value for name in effects.changed for value in values_in(arguments.get(name))}
        changes = changes or bool(touched & roots)
        if any(value in roots for name in effects.shared for value in values_in(arguments.get(name))):
            roots.update(name for output in node["outputs"] for name in values_in(plain(*argument_of(output))))
    returned = {name for item in graph["outputs"] for name in values_in(plain(*argument_of(item)))}
    return changes, bool(returned & roots), draws


def op_label(target: str) -> str:
    """Returns an operator as shown: ``aten.linear`` for ``torch.ops.aten.linear.default``."""
    return target.removeprefix("torch.ops.").removesuffix(".default").removeprefix("_operator.")


def _snake(target: str) -> str:
    parts = target.removeprefix("torch.ops.").split(".")
    name = parts[1] if len(parts) > 1 else parts[0]
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def attribute_texts(arguments: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Returns the arguments that are constants, as (name, short text)."""
    return tuple(
        (name, one_line(_shown(argument), _SHOWN))
        for name, argument in arguments.items()
        if not isinstance(argument, Value) and not (isinstance(argument, list) and argument and _only_values(argument))
    )


def _only_values(argument: Sequence[Any]) -> bool:
    return all(isinstance(item, Value) for item in argument)


def _shown(argument: Any) -> str:
    if isinstance(argument, dict) and set(argument) == {"type", "index"}:
        index = argument["index"]
        return str(argument["type"]) if index is None else f"{argument['type']}:{index}"
    if isinstance(argument, (list, tuple)):
        return f"[{', '.join(_shown(item) for item in argument)}]"
    return str(argument)


def scope_of(stack: str) -> tuple[str, ...]:
    """Returns the modules of ``nn_module_stack``, outermost first: ``("blocks", "0", "attention")``."""
    deepest = ""
    for item in stack.split(";"):
        parts = item.split(",")
        path = parts[1] if len(parts) >= 3 else ""
        if path and not path.startswith("_empty_nn_module_stack"):
            deepest = path
    return tuple(part for part in re.sub(r"@[0-9]+", "", deepest).split(".") if part)
