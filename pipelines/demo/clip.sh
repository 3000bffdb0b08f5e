#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the demo's movie: clip.sh OUTPUT.ts. The movie has 60 s of H.264 and AAC in an MPEG
# transport stream. Its quality is constant, so that the bit rate follows the pictures. It has calm
# scenes, busy scenes, and two bursts of noise that need several times the mean rate, as scene
# changes of a real movie do.
set -euo pipefail

caps="video/x-raw,format=I420,width=640,height=360,framerate=25/1"
scenes=()
frames=0

# scene PATTERN FRAMES [PROPERTY...]: adds a scene. Timestamps go on from the scene before, 40 ms
# for each frame.
scene() {
  local pattern=$1 length=$2
  shift 2
  scenes+=(videotestsrc "pattern=$pattern" "num-buffers=$length" "timestamp-offset=$((frames * 40000000))" "$@"
    '!' "$caps" '!' queue '!' scenes.)
  frames=$((frames + length))
}

scene ball 150
scene smpte 150 # the noise in its corner keeps the encoder busy
scene zone-plate 125 kx2=20 ky2=20 kt=2
scene pinwheel 100 horizontal-speed=2
scene snow 12
scene spokes 138
scene smpte 200
scene gamut 100
scene circular 125 horizontal-speed=3
scene snow 8
scene zone-plate 117 kx2=10 ky2=14 kt=3
scene smpte 150
scene ball 125 motion=sweep

gst-launch-1.0 -q mpegtsmux name=mux alignment=7 ! filesink "location=$1.part" \
  concat name=scenes adjust-base=false ! \
  x264enc pass=qual quantizer=26 bitrate=2500 vbv-buf-capacity=1000 speed-preset=veryfast key-int-max=125 threads=1 ! \
  h264parse ! queue ! mux. \
  audiotestsrc num-buffers=2813 samplesperbuffer=1024 wave=ticks ! audio/x-raw,rate=48000,channels=2 ! \
  avenc_aac bitrate=64000 ! aacparse ! queue ! mux. \
  "${scenes[@]}"
mv "$1.part" "$1"
