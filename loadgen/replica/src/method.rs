use crate::params::Naming;

/// The methods that the replica answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Discover,
    ToolsList,
    ToolsCall,
    PromptsList,
    PromptsGet,
    ResourcesList,
    TemplatesList,
    ResourcesRead,
}

impl Method {
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "server/discover" => Self::Discover,
            "tools/list" => Self::ToolsList,
            "tools/call" => Self::ToolsCall,
            "prompts/list" => Self::PromptsList,
            "prompts/get" => Self::PromptsGet,
            "resources/list" => Self::ResourcesList,
            "resources/templates/list" => Self::TemplatesList,
            "resources/read" => Self::ResourcesRead,
            _ => return None,
        })
    }

    /// Which member of `params` the `Mcp-Name` header repeats, if any.
    pub(crate) const fn naming(self) -> Option<Naming> {
        match self {
            Self::ToolsCall | Self::PromptsGet => Some(Naming::Name),
            Self::ResourcesRead => Some(Naming::Uri),
            _ => None,
        }
    }
}
