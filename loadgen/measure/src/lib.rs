//! Samples, histograms, statistics, the environment and the result file.
