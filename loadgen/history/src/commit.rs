/// The commit that was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its hash, with `-dirty` behind it if files were changed.
    pub id: String,
    /// When it was made, in seconds since 1970; `None` when it is not known.
    pub made_s: Option<i64>,
}
