#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes renditions of a movie for the server of movies: transport streams of the same movie with pictures of
# different size, which can be entered at the same times and have the same streams in the same PIDs.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

LADDER="360:700 720:2500 1080:5000"
GROUP_S=2
SOUND_KBPS=128

usage() {
  cat <<END
usage: make-renditions.sh [OPTION...] MOVIE FOLDER

Writes FOLDER/NAME.<lines>p.ts for each rendition, which the server of movies plays as the movie NAME.
MOVIE is any file that GStreamer can decode.

  --renditions LIST   pairs of lines and kbit/s of the video; default: "$LADDER" without those
                      that have more lines than the movie
  --name NAME         instead of the name of the file without its suffix
  --group SECONDS     time between two pictures at which the rendition can change, 1 to 10; default: $GROUP_S
  --speed PRESET      of x264: ultrafast, superfast, veryfast, faster, fast, medium (default), slow, slower, veryslow
  -h, --help
END
}

refuse() {
  printf 'make-renditions.sh: %s (--help shows the options)\n' "$*" >&2
  exit 2
}

list="" name="" speed=medium group=$GROUP_S places=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --renditions | --name | --group | --speed)
      [ $# -gt 1 ] || refuse "$1 needs a value"
      case $1 in --renditions) list=$2 ;; --name) name=$2 ;; --group) group=$2 ;; --speed) speed=$2 ;; esac
      shift
      ;;
    -*) refuse "unknown option $1" ;;
    *) places+=("$1") ;;
  esac
  shift
done
[ ${#places[@]} = 2 ] || refuse "a movie and a folder are wanted"
movie=${places[0]} folder=${places[1]}
[[ $group =~ ^([1-9]|10)$ ]] || refuse "--group is a whole number of seconds from 1 to 10"
case $speed in
  ultrafast | superfast | veryfast | faster | fast | medium | slow | slower | veryslow) ;;
  *) refuse "there is no preset '$speed'" ;;
esac
for pair in $list; do
  [[ $pair =~ ^[1-9][0-9]{0,4}:[1-9][0-9]{0,5}$ ]] || refuse "'$pair' is not LINES:KBITS, as 720:2500"
done
[ -r "$movie" ] || refuse "$movie cannot be read"
[ -d "$folder" ] || refuse "$folder is no folder: mkdir makes one"
[ -n "$name" ] || name=$(basename "$movie") name=${name%.*}
[[ $name != */* && $name != .* && -n $name ]] || refuse "'$name' cannot be the name of a movie"
for pair in ${list:-$LADDER}; do
  target=$folder/$name.${pair%:*}p.ts
  [ ! "$target" -ef "$movie" ] || refuse "$movie would be replaced by one of its renditions: take another name or folder"
done

have gst-launch-1.0 || die "gst-launch-1.0 is not installed: apt-get install gstreamer1.0-tools"

# needs ELEMENT PACKAGE
needs() {
  gst-inspect-1.0 --exists "$1" || die "GStreamer has no element $1: apt-get install $2"
}
needs x264enc gstreamer1.0-plugins-ugly
needs mpegtsmux gstreamer1.0-plugins-bad
needs progressreport gstreamer1.0-plugins-good
needs uridecodebin gstreamer1.0-plugins-base

uri=file://$("$PYTHON" -c 'import os, sys, urllib.parse; print(urllib.parse.quote(os.path.abspath(sys.argv[1])))' "$movie")

# caps_of TYPE: what the first buffer of the movie's first stream of this type has; nothing if there is none
caps_of() {
  timeout 60 gst-launch-1.0 -v uridecodebin "uri=$uri" caps="video/x-raw(ANY);audio/x-raw(ANY)" ! "$1" ! fakesink num-buffers=1 2>/dev/null |
    grep -o "fakesink0.GstPad:sink: caps = $1.*" | head -1 || true
}

# field NAME CAPS
field() {
  sed -nE "s/.*[ ,]$1=\([a-z]+\)([0-9]+(\/[0-9]+)?).*/\1/p" <<<"$2"
}

pictures=$(caps_of video/x-raw)
[ -n "$pictures" ] || die "$movie has no pictures that GStreamer can decode: apt-get install gstreamer1.0-libav"
height=$(field height "$pictures")
width=$(field width "$pictures")
rate=$(field framerate "$pictures")
shape=$(field pixel-aspect-ratio "$pictures")
[[ $shape =~ ^[1-9][0-9]*/[1-9][0-9]*$ ]] || shape=1/1
[[ $rate =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || rate=25/1
# Pictures in a group: the same number in each rendition, as x264 counts them
pictures_in_group=$(((group * ${rate%/*} + ${rate#*/} / 2) / ${rate#*/}))
if [ -z "$list" ]; then
  for pair in $LADDER; do
    [ "${pair%:*}" -gt "$height" ] || list+=" $pair"
  done
  [ -n "$list" ] || list="$height:700"
fi

# Sound is encoded once, so that it is the same in all of them. Queues of sound have no bounds: they hold what the
# encoders of the pictures hold back.
sound=()
if [ -n "$(caps_of audio/x-raw)" ]; then
  for encoder in avenc_aac fdkaacenc voaacenc; do
    ! gst-inspect-1.0 --exists "$encoder" || break
  done
  needs "$encoder" gstreamer1.0-libav
  sound=(decoder. ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! audioconvert ! audioresample
    ! audio/x-raw,rate=48000,channels=2 ! "$encoder" "bitrate=$((SOUND_KBPS * 1000))" ! aacparse ! tee name=sound)
else
  say "The movie has no sound."
fi

parts=() outputs=() targets=()
for pair in $list; do
  lines=${pair%:*} kbps=${pair#*:}
  target=$folder/$name.${lines}p.ts
  targets+=("$target")
  outputs+=(mpegtsmux "name=mux$lines" alignment=7 ! filesink "location=$target.part")
  # Both even, with square pixels, in the movie's shape
  columns=$(((width * ${shape%/*} * lines + height * ${shape#*/}) / (2 * height * ${shape#*/}) * 2))
  # No other picture is an IDR picture, and none is predicted across one.
  parts+=(pictures. ! queue ! videoscale add-borders=true ! "video/x-raw,width=$columns,height=$((lines / 2 * 2)),pixel-aspect-ratio=1/1"
    ! x264enc "bitrate=$kbps" pass=cbr vbv-buf-capacity=$((group * 1000)) "speed-preset=$speed" "key-int-max=$pictures_in_group"
    "option-string=keyint=$pictures_in_group:min-keyint=$pictures_in_group:scenecut=0:open-gop=0"
    ! h264parse config-interval=-1 ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! "mux$lines.sink_256")
  [ ${#sound[@]} = 0 ] || parts+=(sound. ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! "mux$lines.sink_257")
done

say "$name: $(wc -w <<<"$list") renditions ($list), groups of $pictures_in_group pictures at $rate a second"
remove() {
  rm -f -- "${targets[@]/%/.part}"
}
trap remove EXIT
gst-launch-1.0 uridecodebin "uri=$uri" name=decoder "${outputs[@]}" \
  decoder. ! queue ! videoconvert ! videorate ! "video/x-raw,format=I420,framerate=$rate" ! progressreport update-freq=5 ! tee name=pictures \
  "${sound[@]}" "${parts[@]}" |
  sed -nuE 's/^progressreport.*\(([0-9:]+)\): ([0-9]+) \/ ([0-9]+) seconds \((.*)\)$/\4: \2 of \3 s of the movie after \1/p' || {
  die "the movie could not be encoded: the errors above say why"
}
for target in "${targets[@]}"; do
  [ -s "$target.part" ] || die "$target was not written"
  mv -- "$target.part" "$target"
  say "$target: $(stat -c %s "$target") bytes"
done
