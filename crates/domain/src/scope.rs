//! Who may see what.

/// The rows a read may touch. Every read of the store takes one.
///
/// Locally there is one person; the team server adds the tenant when it arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Every project of this store.
    #[default]
    All,
    /// One project by its key in this database.
    Project(i64),
}

impl Scope {
    /// The project's key, where the scope is one project.
    pub const fn project(&self) -> Option<i64> {
        match self {
            Self::All => None,
            Self::Project(id) => Some(*id),
        }
    }
}
