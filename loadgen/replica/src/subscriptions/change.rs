use std::sync::Arc;

/// Something that listeners may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource at this URI.
    Resource(Arc<str>),
}

impl Change {
    /// The notification that tells of it.
    pub(super) const fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
        }
    }

    /// Which resource it is about, if about one.
    pub(super) fn uri(&self) -> Option<&str> {
        match self {
            Self::Resource(uri) => Some(uri),
            _ => None,
        }
    }
}
