// SPDX-License-Identifier: LGPL-2.1-or-later
//! broadcaster MOVIE.ts PORT: streams a movie to all receivers that call, and prints the statistics of each
use gstreamer::{self as gst, prelude::*, MessageType, MessageView, Structure};
use std::{env, error::Error, num::NonZeroU16};

/// docs/statistics.md has all fields.
fn print_stats(stats: &gst::StructureRef) -> Result<(), Box<dyn Error>> {
    let callers = stats.get::<gst::Array>("callers")?;
    println!(
        "port {} has {} receivers",
        stats.get::<i32>("local-port")?,
        callers.len()
    );
    for caller in callers.iter() {
        let s = caller.get::<Structure>()?;
        let rtt_ms = s.get::<u64>("rtt")? as f64 / 1e6;
        let (sent, lost) = (s.get::<u64>("packets-sent")?, s.get::<u64>("packets-lost")?);
        println!(
            "  {}: {sent} packets, {lost} lost, R {rtt_ms:.1} ms",
            s.get::<&str>("peer-address")?
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (movie, port) = (env::args().nth(1), env::args().nth(2));
    let (movie, port) = movie.zip(port).ok_or("usage: broadcaster MOVIE.ts PORT")?;
    gst::init()?;
    let pipeline = gst::parse_launch(
        "filesrc name=source ! tsparse alignment=7 set-timestamps=true ! \
         tfrcsink name=sink mode=listener stats-update-interval=1000",
    )?;
    let bin = pipeline.downcast_ref::<gst::Bin>().ok_or("no pipeline")?;
    bin.by_name("source")
        .ok_or("no source")?
        .set_property("location", movie);
    bin.by_name("sink")
        .ok_or("no sink")?
        .set_property("port", i32::from(port.parse::<NonZeroU16>()?.get()));
    pipeline.set_state(gst::State::Playing).ok(); // the bus says why not
    let bus = pipeline.bus().ok_or("no bus")?;
    let wanted = [MessageType::Element, MessageType::Error, MessageType::Eos];
    let result = loop {
        let message = bus
            .timed_pop_filtered(gst::ClockTime::NONE, &wanted)
            .ok_or("the bus is gone")?;
        match (message.view(), message.structure()) {
            (MessageView::Element(_), Some(s)) if s.name() == "tfrc-stats" => print_stats(s)?,
            (MessageView::Element(_), _) => {}
            (MessageView::Error(e), _) => break Err(e.error().into()),
            _ => break Ok(()),
        }
    };
    pipeline.set_state(gst::State::Null)?;
    result
}
