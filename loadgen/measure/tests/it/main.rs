//! Results made through the public face of the crate.

#[cfg(test)]
mod backends;
mod bench;
mod compare;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod hlog;
#[cfg(test)]
mod pairs;
mod properties;
#[cfg(test)]
mod rate_limit;
mod retry;
#[cfg(test)]
mod run;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod seconds;
#[cfg(test)]
mod store;
