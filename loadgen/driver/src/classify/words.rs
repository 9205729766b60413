/// The first 200 characters in one line, without characters that would steer a terminal.
pub(crate) fn clip(text: &str) -> String {
    let words = text.split_whitespace();
    let spaced = words.flat_map(|word| std::iter::once(' ').chain(word.chars()));
    let mut shown = spaced
        .skip(1)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut line: String = shown.by_ref().take(200).collect();
    if shown.next().is_some() {
        line.push('…');
    }
    line
}

/// What a body begins with, as [`clip`] shows text.
pub(crate) fn beginning(body: &[u8]) -> String {
    clip(&String::from_utf8_lossy(&body[..body.len().min(4096)]))
}

/// What is behind a status that the client's own headers bring about; empty for others.
pub(crate) fn header_hint(status: u16) -> &'static str {
    match status {
        406 => {
            " (the server does not take the Accept header that was sent; `headers = { Accept = \
             \"...\" }` of [client] replaces it)"
        }
        _ => "",
    }
}
