//! Results made through the public face of the crate.

#[cfg(test)]
mod backends;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod hlog;
#[cfg(test)]
mod properties;
mod retry;
#[cfg(test)]
mod run;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod seconds;
#[cfg(test)]
mod store;
