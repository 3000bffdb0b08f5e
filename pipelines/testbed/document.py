# SPDX-License-Identifier: LGPL-2.1-or-later
"""A spec's text as plain values: mappings, lists, texts, numbers, true, false and null.

Refused, with the line: a long text, deep nesting, aliases, other kinds of values. YAML allows all
of these. They can cost memory or recursion without a bound, and no spec needs them.
"""

import json
import pathlib

import yaml

from .errors import TestbedError

_MAX_BYTES = 256 * 1024
_MAX_DEPTH = 16
# The longest text of a number: 64 bits, or a float with an exponent.
_MAX_DIGITS = 32


class _Loader(yaml.SafeLoader):
    """YAML of plain values, in which each key of a mapping occurs once."""

    yaml_constructors = {}

    def __init__(self, text):
        super().__init__(text)
        self.depth = 0

    def compose_node(self, parent, index):
        if self.check_event(yaml.events.AliasEvent):
            raise _error("an alias is not allowed", self.peek_event())
        if self.depth == _MAX_DEPTH:
            raise _error(f"nested deeper than {_MAX_DEPTH} levels", self.peek_event())
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


def _error(what, event):
    return yaml.constructor.ConstructorError(None, None, what, event.start_mark)


def _mapping_once(loader, node):
    if not isinstance(node, yaml.MappingNode):
        raise _error("not a mapping", node)
    result = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _error("a key is not a name", key_node)
        key = loader.construct_object(key_node, deep=True)
        if key in result:
            raise _error(f"{key!r} is there twice", key_node)
        result[key] = loader.construct_object(value_node, deep=True)
    return result


def _sequence(loader, node):
    if not isinstance(node, yaml.SequenceNode):
        raise _error("not a list", node)
    return loader.construct_sequence(node, deep=True)


def _scalar(construct):
    def checked(loader, node):
        try:
            return construct(loader, node)
        except (ValueError, KeyError, IndexError):
            raise _error(f"{node.value!r} is not a value of its kind", node) from None

    return checked


def _number(construct):
    def checked(loader, node):
        if len(str(node.value)) > _MAX_DIGITS:
            raise _error(f"a number with more than {_MAX_DIGITS} characters", node)
        return construct(loader, node)

    return _scalar(checked)


def _other(loader, node):
    raise _error(f"a value cannot be of the kind {node.tag!r}", node)


for _kind, _constructor in {
    "null": _scalar(_Loader.construct_yaml_null),
    "bool": _scalar(_Loader.construct_yaml_bool),
    "int": _number(_Loader.construct_yaml_int),
    "float": _number(_Loader.construct_yaml_float),
    "str": _scalar(_Loader.construct_yaml_str),
    "seq": _sequence,
    "map": _mapping_once,
}.items():
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _constructor)
_Loader.add_constructor(None, _other)


def _text(path):
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise TestbedError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise TestbedError(f"{str(path)!r}: {error}") from error
    if len(data) > _MAX_BYTES:
        raise TestbedError(f"{path}: longer than {_MAX_BYTES // 1024} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TestbedError(f"{path}: not a text in UTF-8") from error


def of_file(path):
    """The values of a YAML file. JSON is YAML, too. TestbedError names the file and the line."""
    path = pathlib.Path(path)
    text = _text(path)
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        raise TestbedError(f"{where}: {problem}") from error


def _check_depth(value, depth=0):
    if not isinstance(value, (dict, list, tuple)):
        return
    if depth == _MAX_DEPTH:
        raise TestbedError(f"spec: nested deeper than {_MAX_DEPTH} levels")
    for child in value.values() if isinstance(value, dict) else value:
        _check_depth(child, depth + 1)


def of_dict(source):
    """A copy of a dict that has the values of such a file."""
    _check_depth(source)
    try:
        return json.loads(json.dumps(source))
    except (TypeError, ValueError) as error:
        raise TestbedError(f"spec: cannot be written as JSON: {error}") from error
