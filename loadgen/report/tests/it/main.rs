//! Summaries and charts of results made by hand.

#[cfg(test)]
mod backends;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod charts;
#[cfg(test)]
mod comment;
#[cfg(test)]
mod compare;
#[cfg(test)]
mod export;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod page;
mod pairs;
#[cfg(test)]
mod summary;
#[cfg(test)]
mod trend;
