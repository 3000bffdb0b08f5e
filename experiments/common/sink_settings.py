# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of a sender: values of the options that common/sink_settings.h adds to a program."""

RFC5348 = {"queue_guard": False, "burst_limit_ms": 0, "initial_window": 0}
TFRCSINK = {"queue_guard": True, "burst_limit_ms": 10, "initial_window": 10}  # tfrcsink without properties
TFRCSINK_TEXT = "tfrcsink's defaults (queue guard, burst limit of 10 ms, initial window of 10 packets)"
