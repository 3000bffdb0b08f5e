# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which C sources use the fields of which structs, as the compiler understands them.

libclang parses every source with the command that built it, so that neither macros, nor embedded
structs, nor two structs with fields of one name mislead the count. libclang belongs to clang; here
ctypes calls it, since its Python package is not everywhere.
"""

import concurrent.futures
import ctypes
import ctypes.util
import functools
import glob
import hashlib
import json
import os
import pathlib
import re
import shlex
import tempfile

# Names of functions that make or end an object. A struct that one of them takes as its first
# argument, or returns, is an object. TfrcSenderConfig is data although tfrc_sender_config_init()
# fills it in: what a caller writes field by field has no invariant to protect.
_LIFE = re.compile(r"_(init|new|free|clear|destroy|finalize|unref)$")
_DATA_NAME = re.compile(r"(Config|Settings|Stats|Options)$")
_FIELD_DECL, _STRUCT_DECL, _UNION_DECL, _FUNCTION_DECL = 6, 2, 3, 8
_MEMBER_REF, _MEMBER_REF_EXPR = 47, 102
_RECURSE, _CONTINUE = 2, 1
_ERROR_SEVERITY = 3
_INCOMPLETE, _FOR_SERIALIZATION = 2, 16


class _Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", ctypes.c_void_p * 3)]


class _Type(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_void_p * 2)]


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class _Location(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("number", ctypes.c_uint)]


_VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, _Cursor, _Cursor, ctypes.c_void_p)
_SIGNATURES = {
    "clang_createIndex": (ctypes.c_void_p, ctypes.c_int, ctypes.c_int),
    "clang_parseTranslationUnit": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int,
                                   ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint),
    "clang_saveTranslationUnit": (ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint),
    "clang_disposeTranslationUnit": (None, ctypes.c_void_p),
    "clang_disposeIndex": (None, ctypes.c_void_p),
    "clang_getNumDiagnostics": (ctypes.c_uint, ctypes.c_void_p),
    "clang_getDiagnostic": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint),
    "clang_getDiagnosticSeverity": (ctypes.c_int, ctypes.c_void_p),
    "clang_getDiagnosticSpelling": (_String, ctypes.c_void_p),
    "clang_disposeDiagnostic": (None, ctypes.c_void_p),
    "clang_getTranslationUnitCursor": (_Cursor, ctypes.c_void_p),
    "clang_visitChildren": (ctypes.c_uint, _Cursor, _VISITOR, ctypes.c_void_p),
    "clang_getCursorReferenced": (_Cursor, _Cursor),
    "clang_getCursorSemanticParent": (_Cursor, _Cursor),
    "clang_getCursorSpelling": (_String, _Cursor),
    "clang_getCursorLocation": (_Location, _Cursor),
    "clang_getExpansionLocation": (None, _Location, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
    "clang_getFileName": (_String, ctypes.c_void_p),
    "clang_getCString": (ctypes.c_char_p, _String),
    "clang_disposeString": (None, _String),
    "clang_getCursorType": (_Type, _Cursor),
    "clang_getTypeSpelling": (_String, _Type),
    "clang_getCursorResultType": (_Type, _Cursor),
    "clang_getCanonicalType": (_Type, _Type),
    "clang_getPointeeType": (_Type, _Type),
    "clang_getTypeDeclaration": (_Cursor, _Type),
    "clang_Cursor_getNumArguments": (ctypes.c_int, _Cursor),
    "clang_Cursor_getArgument": (_Cursor, _Cursor, ctypes.c_uint),
}


@functools.cache
def library():
    """libclang, or None. The newest of several; only from its own directory does it find the
    headers of the compiler."""
    found = glob.glob("/usr/lib/llvm-*/lib/libclang-*.so.1") + glob.glob("/usr/lib*/llvm*/lib*/libclang.so*")
    found.sort(key=lambda path: [int(number) for number in re.findall(r"\d+", path)])
    for name in [*reversed(found), ctypes.util.find_library("clang")]:
        try:
            clang = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if clang:
            for function, (result, *arguments) in _SIGNATURES.items():
                getattr(clang, function).restype = result
                getattr(clang, function).argtypes = arguments
            return clang
    return None


class _Unit:
    """One parsed source; collects what uses_of_source() returns."""

    def __init__(self, root, source, arguments):
        self.clang = library()
        self.root = os.path.realpath(root) + "/"
        self.main = os.path.realpath(source)
        self.files = {}
        self.uses, self.objects = {}, set()
        index = self.clang.clang_createIndex(1, 0)  # 1: declarations of the precompiled headers are not visited
        encoded = [argument.encode() for argument in arguments]
        unit = self.clang.clang_parseTranslationUnit(index, source.encode(), (ctypes.c_char_p * len(encoded))(*encoded), len(encoded),
                                                     None, 0, 0)
        self.errors = self._errors(unit) if unit else [f"libclang cannot read {source}"]
        if unit:
            self._visit(self.clang.clang_getTranslationUnitCursor(unit), self._on_declaration)
            self.clang.clang_disposeTranslationUnit(unit)
        self.clang.clang_disposeIndex(index)

    def _text(self, string):
        text = (self.clang.clang_getCString(string) or b"").decode()
        self.clang.clang_disposeString(string)
        return text

    def _errors(self, unit):
        found = []
        for number in range(self.clang.clang_getNumDiagnostics(unit)):
            diagnostic = self.clang.clang_getDiagnostic(unit, number)
            if self.clang.clang_getDiagnosticSeverity(diagnostic) >= _ERROR_SEVERITY:
                found.append(f"{self.main}: {self._text(self.clang.clang_getDiagnosticSpelling(diagnostic))}")
            self.clang.clang_disposeDiagnostic(diagnostic)
        return found

    def _visit(self, cursor, function):
        self.clang.clang_visitChildren(cursor, _VISITOR(lambda child, parent, data: function(child)), None)

    def _file_of(self, cursor):
        """Path of the cursor's file relative to the root, or None outside of lib/ and gst/."""
        handle = ctypes.c_void_p()
        self.clang.clang_getExpansionLocation(self.clang.clang_getCursorLocation(cursor), ctypes.byref(handle), None, None, None)
        if handle.value not in self.files:
            path = os.path.realpath(self._text(self.clang.clang_getFileName(handle))) if handle.value else ""
            self.files[handle.value] = path.removeprefix(self.root) if path.startswith(self.root) else None
        return self.files[handle.value]

    def _on_declaration(self, cursor):
        path = self._file_of(cursor)
        if path is None:
            return _CONTINUE
        if cursor.kind == _FUNCTION_DECL:
            self._on_function(cursor)
        if os.path.realpath(self.root + path) == self.main:
            self._visit(cursor, self._on_node)
        return _CONTINUE

    def _on_function(self, cursor):
        if not _LIFE.search(self._text(self.clang.clang_getCursorSpelling(cursor))):
            return
        types = [self.clang.clang_getCursorResultType(cursor)]
        if self.clang.clang_Cursor_getNumArguments(cursor) > 0:
            types.append(self.clang.clang_getCursorType(self.clang.clang_Cursor_getArgument(cursor, 0)))
        for kind in types:
            pointee = self.clang.clang_getPointeeType(self.clang.clang_getCanonicalType(kind))
            record = self.clang.clang_getTypeDeclaration(self.clang.clang_getCanonicalType(pointee))
            if record.kind == _STRUCT_DECL and self._file_of(record):
                self.objects.add(self._name(record))

    def _on_node(self, cursor):
        if cursor.kind in (_MEMBER_REF, _MEMBER_REF_EXPR):
            field = self.clang.clang_getCursorReferenced(cursor)
            if field.kind == _FIELD_DECL:
                record = self._outermost(self.clang.clang_getCursorSemanticParent(field))
                path = self._file_of(record)
                if path:
                    self.uses.setdefault(self._name(record), [path, []])[1].append(self._text(self.clang.clang_getCursorSpelling(field)))
        return _RECURSE

    def _outermost(self, record):
        while True:
            parent = self.clang.clang_getCursorSemanticParent(record)
            if parent.kind not in (_STRUCT_DECL, _UNION_DECL):
                return record
            record = parent

    def _name(self, record):
        """The struct's name as its typedef has it: GStreamer's style puts '_' before the tag."""
        return self._text(self.clang.clang_getTypeSpelling(self.clang.clang_getCursorType(record))).removeprefix("struct ").removeprefix("_")


def _compiler_arguments(entry):
    """What the parser needs of a compiler's command: not the compiler, the outputs, the source and
    the precompiled header, without which a source has to compile, too."""
    command = entry.get("arguments") or shlex.split(entry["command"])
    arguments, words = [], iter(command[1:])
    for word in words:
        if word in ("-o", "-MF", "-MQ", "-MT", "-include", "-include-pch"):
            next(words)
        elif word.startswith(("-I", "-isystem", "-D", "-U", "-std")):
            path = word[2:] if word.startswith("-I") else None
            arguments.append("-I" + os.path.join(entry["directory"], path) if path else word)
    return arguments


def _precompile(arguments, directory):
    """Parses the headers of GLib and GStreamer once for all sources whose compiler has the same arguments: these headers
    would be nine tenths of the work. Returns the arguments with which the result is used."""
    # A macro that sources define before they include anything, which has to hold in the headers here, too.
    arguments = [*arguments, "-D_GNU_SOURCE=1"]
    clang = library()
    header = os.path.join(directory, hashlib.sha256(repr(arguments).encode()).hexdigest()[:16] + ".h")
    pathlib.Path(header).write_text("#include <gio/gio.h>\n#include <gst/base/base.h>\n#include <gst/gst.h>\n")
    index = clang.clang_createIndex(0, 0)
    words = [word.encode() for word in ("-xc-header", *arguments)]
    unit = clang.clang_parseTranslationUnit(index, header.encode(), (ctypes.c_char_p * len(words))(*words), len(words), None, 0,
                                            _INCOMPLETE | _FOR_SERIALIZATION)
    saved = unit and clang.clang_saveTranslationUnit(unit, (header + ".pch").encode(), 0) == 0
    if unit:
        clang.clang_disposeTranslationUnit(unit)
    clang.clang_disposeIndex(index)
    return [*arguments, "-include-pch", header + ".pch"] if saved else arguments


def _uses_of_source(root, source, arguments):
    unit = _Unit(root, os.path.join(root, source), arguments)
    return {"uses": {name: [path, sorted(set(fields))] for name, (path, fields) in unit.uses.items()}, "objects": sorted(unit.objects),
            "errors": unit.errors}


def uses(root, commands, closure, cache):
    """For each source of 'commands' (source -> entry of compile_commands.json): which structs'
    fields the source uses, and which structs are objects. 'closure' tells the project's files that
    a source includes; a source is parsed again only if one of them has changed, as 'cache', a file,
    remembers."""
    cache = pathlib.Path(cache)
    remembered = json.loads(cache.read_text()) if cache.exists() else {}
    own = pathlib.Path(__file__).read_text()
    keys, arguments = {}, {}
    for source, entry in commands.items():
        arguments[source] = _compiler_arguments(entry)
        digest = hashlib.sha256((own + repr(arguments[source])).encode())
        for path in sorted(closure(source)):
            digest.update(pathlib.Path(root, path).read_bytes())
        keys[source] = digest.hexdigest()
    result = {source: remembered[source][1] for source, key in keys.items() if remembered.get(source, [None])[0] == key}
    missing = [source for source in commands if source not in result]
    if missing:
        with tempfile.TemporaryDirectory() as directory, concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            alike = {tuple(arguments[source]) for source in missing if source.startswith("gst/")}
            precompiled = {words: _precompile(words, directory) for words in alike}
            found = pool.map(_uses_of_source, [str(root)] * len(missing), missing,
                             [precompiled.get(tuple(arguments[source]), arguments[source]) for source in missing])
            result |= dict(zip(missing, found))
        cache.write_text(json.dumps({source: [keys[source], result[source]] for source in commands}))
    return result


def is_data(name, path):
    """Structs of the library's public headers and those whose name says that a caller fills them
    in or reads them are data: they have no invariant."""
    return path.startswith("lib/include/") or _DATA_NAME.search(name) is not None


def users_of_objects(found):
    """struct -> (the file that defines it, sources that use its fields), for objects."""
    objects = {name for facts in found.values() for name in facts["objects"]}
    users = {}
    for source, facts in found.items():
        for name, (path, _) in facts["uses"].items():
            private = path.endswith(("-private.h", "_state.h"))
            if (name in objects or private) and not is_data(name, path):
                users.setdefault(name, (path, set()))[1].add(source)
    return users
