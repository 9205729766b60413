//! Wire types of MCP 2026-07-28: requests, results, headers, error codes, SSE framing.
