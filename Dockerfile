# The demo in a container; its output is in /gst-tfrc/build/demo. scripts/build-images.sh builds this image and runs it once.
#   docker build -t gst-tfrc .
#   docker run --rm gst-tfrc
#   docker run --rm --privileged gst-tfrc pipelines/stream-demo.sh     # over a bottleneck of network namespaces
FROM debian:12
WORKDIR /gst-tfrc
COPY scripts scripts
RUN scripts/install-deps.sh run
COPY . .
RUN meson setup build -Dtests=disabled && meson compile -C build
CMD ["pipelines/demo.sh"]
