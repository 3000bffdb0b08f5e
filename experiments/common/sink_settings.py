# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of a sender: values of the options that common/sink_settings.h adds to a program."""

RFC5348 = {"queue_guard": False, "burst_limit_ms": 0, "initial_window": 0}
TFRCSINK = {"queue_guard": True, "burst_limit_ms": 10, "initial_window": 10}  # tfrcsink without properties
TFRCSINK_TEXT = (f"tfrcsink's defaults (queue guard, burst limit of {TFRCSINK['burst_limit_ms']} ms, initial window of "
                 f"{TFRCSINK['initial_window']} packets)")
