//! The kind of disk that the data folder is on.

use std::path::Path;

use super::check::Check;
use crate::config::Home;

/// Whether the database's locks and shared memory work where the data folder is; none where the
/// folder is not there yet.
pub(super) fn disk(home: &Home) -> Option<Check> {
    let folder = home.folder();
    if !folder.is_dir() {
        return None;
    }
    Some(match network(folder) {
        None => Check::good("disk", "the data folder is on a disk of this machine"),
        Some(kind) => Check::bad(
            "disk",
            format!("{} is on {kind}: other machines may damage the database", folder.display()),
            "set AFTERWORD_HOME to a folder on a disk of this machine alone",
        ),
    })
}

/// The kind of network file system, or of one that another system shares with this one.
#[cfg(target_os = "linux")]
fn network(folder: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(folder).ok()?;
    // The kernel's numbers have 32 bits; the field is wider or signed on some machines.
    #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "32 bits are meant")]
    let number = found.f_type as u32;
    KINDS.iter().find(|(kind, _)| *kind == number).map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
fn network(_folder: &Path) -> Option<&'static str> {
    None
}

/// File systems by their numbers in `linux/magic.h` and the sources of the kernel.
#[cfg(target_os = "linux")]
const KINDS: [(u32, &str); 8] = [
    (0x6969, "a network file system (NFS)"),
    (0x517b, "a network file system (SMB)"),
    (0xff53_4d42, "a network file system (CIFS)"),
    (0xfe53_4d42, "a network file system (SMB)"),
    (0x0102_1997, "a folder shared by another system (9P, as WSL mounts Windows disks)"),
    (0x786f_4256, "a folder shared by another system (VirtualBox)"),
    (0x00c3_6400, "a network file system (Ceph)"),
    (0x5346_414f, "a network file system (AFS)"),
];

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn d11_a_disk_of_this_machine_is_told_from_a_network() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(network(Path::new("/proc")), None);
        let told = disk(&Home::new(folder.path().to_owned())).unwrap();
        assert_eq!(told.ok, network(folder.path()).is_none(), "{}", told.finding);
        assert!(disk(&Home::new(folder.path().join("missing"))).is_none());
        let mut numbers: Vec<u32> = KINDS.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), KINDS.len());
    }
}
