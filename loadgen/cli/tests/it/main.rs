//! Tests of the `loadgen` program against real servers and clients.

mod access_log;
mod bad_result;
mod bad_scenario;
mod bad_target;
mod calibrate;
mod callers;
mod clients;
mod conformance;
mod control;
mod ending;
mod events;
mod every_fault;
mod fixtures;
mod fleet;
mod http;
mod limits;
mod lists;
mod load_tools;
mod metrics;
mod output;
mod peers;
mod processes;
mod program;
mod scripted;
mod transport;
mod words;
