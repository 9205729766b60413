use loadgen_protocol::Naming;
use loadgen_protocol::names::method;

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
    Complete,
    Listen,
}

impl Method {
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            method::DISCOVER => Self::Discover,
            method::TOOLS_LIST => Self::ToolsList,
            method::TOOLS_CALL => Self::ToolsCall,
            method::PROMPTS_LIST => Self::PromptsList,
            method::PROMPTS_GET => Self::PromptsGet,
            method::RESOURCES_LIST => Self::ResourcesList,
            method::RESOURCE_TEMPLATES_LIST => Self::TemplatesList,
            method::RESOURCES_READ => Self::ResourcesRead,
            method::COMPLETE => Self::Complete,
            method::LISTEN => Self::Listen,
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
