/// A request whose body was refused as too large (HTTP 413).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedBody {
    /// Replica that refused it, a position in [`Shape::replicas`](crate::Shape::replicas).
    pub replica: u16,
    /// Workflow kind, a position in [`Shape::kinds`](crate::Shape::kinds).
    pub kind: usize,
    /// Round within the workflow.
    pub round: u16,
    /// Its size in bytes.
    pub bytes: u64,
}
