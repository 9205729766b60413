//! Terminal summaries and charts of results.
