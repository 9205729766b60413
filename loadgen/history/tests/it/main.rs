//! A history file, as processes find it.

#[cfg(test)]
mod file;
#[cfg(test)]
mod series;
#[cfg(test)]
mod shelf;
