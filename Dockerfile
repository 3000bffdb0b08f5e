# The demo in a container; its output is in /gst-tfrc/build/demo. The project's tests do not build this image.
#   docker build -t gst-tfrc .
#   docker run --rm gst-tfrc
#   docker run --rm --privileged gst-tfrc pipelines/stream-demo.sh     # over a bottleneck of network namespaces
FROM debian:12
COPY . /gst-tfrc
WORKDIR /gst-tfrc
RUN scripts/install-deps.sh run && meson setup build -Dtests=disabled && meson compile -C build
CMD ["pipelines/demo.sh"]
