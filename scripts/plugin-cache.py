#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what the documentation of GStreamer needs to know of a plugin: plugin-cache.py PLUGIN.so FILE

The file has the form that gst-hotdoc-plugins-scanner and gst-plugins-doc-cache-generator.py of
GStreamer's sources write (gst_plugins_cache.json), which Debian's packages do not have. Only what
the types of the plugin itself define is in the file, so that the version of GStreamer does not
matter.
"""

import ctypes
import json
import pathlib
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

# Flags of GStreamer for properties (gstparamspecs.h)
CONTROLLABLE, READY, PAUSED, PLAYING, SHOW_DEFAULT, CONDITIONAL = (1 << (8 + bit) for bit in (1, 2, 3, 4, 5, 6))
RANKS = {0: "none", 64: "marginal", 128: "secondary", 256: "primary"}
NUMBERS = ("gint", "guint", "gint64", "guint64", "gfloat", "gdouble")


def bool_text(value):
    return "true" if value else "false"


def number_text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def is_plugin_api(gtype):
    return Gst.type_is_plugin_api(gtype)[0]


class EnumValue(ctypes.Structure):
    """GEnumValue"""
    _fields_ = [("value", ctypes.c_int), ("name", ctypes.c_char_p), ("nick", ctypes.c_char_p)]


class EnumClass(ctypes.Structure):
    """GEnumClass"""
    _fields_ = [("g_type", ctypes.c_size_t), ("minimum", ctypes.c_int), ("maximum", ctypes.c_int),
                ("count", ctypes.c_uint), ("values", ctypes.POINTER(EnumValue))]


def enum_values(gtype):
    """The values of an enumeration. PyGObject knows only those of properties."""
    library = ctypes.CDLL("libgobject-2.0.so.0")
    library.g_type_class_ref.argtypes = [ctypes.c_size_t]
    library.g_type_class_ref.restype = ctypes.POINTER(EnumClass)
    found = library.g_type_class_ref(hash(gtype)).contents
    return found.values[: found.count]


class Cache:
    """The entry of one plugin."""

    def __init__(self, plugin):
        self.plugin = plugin
        self.other_types = {}

    def entry(self):
        plugin = self.plugin
        features = Gst.Registry.get().get_feature_list_by_plugin(plugin.get_name())
        elements = {feature.get_name(): self._element(feature) for feature in features
                    if isinstance(feature, Gst.ElementFactory)}
        return {"description": plugin.get_description(), "elements": elements,
                "filename": pathlib.Path(plugin.get_filename()).name.split(".")[0].removeprefix("lib"),
                "license": plugin.get_license(), "other-types": self.other_types, "package": plugin.get_package(),
                "source": plugin.get_source(), "tracers": {}, "url": plugin.get_origin()}

    def _element(self, factory):
        element = factory.create(None)
        gtype = element.__gtype__
        metadata = {key: factory.get_metadata(key) for key in factory.get_metadata_keys() if key != "long-name"}
        entry = {**metadata, "rank": RANKS[factory.get_rank()], "hierarchy": self._hierarchy(gtype),
                 "pad-templates": self._pads(factory), "properties": self._properties(element, gtype)}
        interfaces = [interface.name for interface in GObject.type_interfaces(gtype)]
        signals = self._signals(gtype)
        return {**entry, **({"interfaces": interfaces} if interfaces else {}), **({"signals": signals} if signals else {})}

    @staticmethod
    def _hierarchy(gtype):
        names = [gtype.name]
        while gtype.name != "GObject":
            gtype = gtype.parent
            names.append(gtype.name)
        return names

    # ---- pads --------------------------------------------------------------------------------------------------------

    def _pads(self, factory):
        return {template.name_template: {
            "caps": self._caps(template.get_caps()), "direction": template.direction.value_nick,
            "presence": template.presence.value_nick} for template in factory.get_static_pad_templates()}

    @staticmethod
    def _caps(caps):
        if caps.is_any() or caps.is_empty():
            return "ANY" if caps.is_any() else "EMPTY"
        text = ""
        for index in range(caps.get_size()):
            structure = caps.get_structure(index)
            text += structure.get_name() + ":\n"
            for number in range(structure.n_fields()):
                name = structure.nth_field_name(number)
                # The text of the field alone, without its type
                value = structure.to_string().split(f"{name}=(", 1)[1].split(")", 1)[1]
                text += f"{name:>15}: {first_value(value)}\n"
        return text

    # ---- properties --------------------------------------------------------------------------------------------------

    def _properties(self, element, gtype):
        return {spec.name: self._property(element, spec) for spec in element.list_properties()
                if spec.owner_type == gtype}

    def _property(self, element, spec):
        flags = int(spec.flags)
        entry = {
            "blurb": spec.blurb, "type": spec.value_type.name,
            "conditionally-available": bool(flags & CONDITIONAL), "controllable": bool(flags & CONTROLLABLE),
            "construct": bool(flags & GObject.ParamFlags.CONSTRUCT),
            "construct-only": bool(flags & GObject.ParamFlags.CONSTRUCT_ONLY),
            "readable": bool(flags & GObject.ParamFlags.READABLE),
            "writable": bool(flags & GObject.ParamFlags.WRITABLE),
            "mutable": next((name for bit, name in ((PLAYING, "playing"), (PAUSED, "paused"), (READY, "ready"))
                             if flags & bit), "null")}
        entry.update(self._value(element, spec, entry["readable"] and not flags & SHOW_DEFAULT))
        return entry

    def _value(self, element, spec, is_read):
        """Default and range"""
        name = spec.value_type.name
        if name == "GstStructure":
            # Statistics of an element that has not run; a random SSRC is among them.
            return {"unstable-values": "default"}
        value = element.get_property(spec.name) if is_read else spec.default_value
        if name == "gchararray":
            return {"default": "NULL" if value is None else value}
        if spec.value_type.is_a(GObject.TYPE_OBJECT):
            return {}
        if name == "gboolean":
            return {"default": bool_text(value)}
        if name in NUMBERS:
            return {"default": number_text(value), "min": number_text(spec.minimum), "max": number_text(spec.maximum)}
        if spec.value_type.is_a(GObject.TYPE_ENUM):
            self._add_enum(spec.value_type)
            nick = next(each.nick.decode() for each in enum_values(spec.value_type) if each.value == int(value))
            return {"default": f"{nick} ({int(value)})"}
        raise SystemExit(f"plugin-cache.py does not know the type {name} of {spec.name}")

    def _add_enum(self, gtype):
        if not is_plugin_api(gtype):
            return
        self.other_types[gtype.name] = {"kind": "enum", "values": [
            {"desc": value.name.decode(), "name": value.nick.decode(), "value": str(value.value)}
            for value in enum_values(gtype)]}

    # ---- signals -----------------------------------------------------------------------------------------------------

    def _signals(self, gtype):
        return {query.signal_name: self._signal(query)
                for query in map(GObject.signal_query, GObject.signal_list_ids(gtype))}

    def _signal(self, query):
        types = [GObject.GType(gtype) for gtype in query.param_types]
        for gtype in types:
            if gtype.is_a(GObject.TYPE_ENUM):
                self._add_enum(gtype)
        flags = GObject.SignalFlags
        when = ((flags.RUN_FIRST, "first"), (flags.RUN_LAST, "last"), (flags.RUN_CLEANUP, "cleanup"))
        others = ((flags.NO_RECURSE, "no-recurse"), (flags.DETAILED, "detailed"), (flags.ACTION, "action"),
                  (flags.NO_HOOKS, "no-hooks"))
        return {"args": [{"name": f"arg{index}", "type": gtype.name} for index, gtype in enumerate(types)],
                "return-type": GObject.GType(query.return_type).name,
                **{"when": name for flag, name in when if query.signal_flags & flag},
                **{name: True for flag, name in others if query.signal_flags & flag}}


def first_value(text):
    """The value with which a text of caps goes on after a type: a list, a range or a single value"""
    text = text.lstrip()
    end = {"{": "}", "[": "]"}.get(text[0])
    return text[: text.index(end) + 1] if end else text.split(",")[0].rstrip(";")


def main(path, output):
    Gst.init(None)
    plugin = Gst.Plugin.load_file(path)
    text = json.dumps({plugin.get_name(): Cache(plugin).entry()}, indent=4, sort_keys=True, ensure_ascii=False)
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plugin-cache.py PLUGIN.so FILE")
    main(*sys.argv[1:])
