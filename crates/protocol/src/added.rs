//! What a reader adds to the files: how each is taken.

/// Whether it is a zip to be unpacked: by its name and by how it begins, so that a file which only one of them fits is added
/// as it is.
pub fn is_archive(name: &str, bytes: &[u8]) -> bool {
    name.to_lowercase().ends_with(".zip") && bytes.starts_with(b"PK")
}

#[cfg(test)]
mod tests {
    use super::is_archive;
    use crate::notification::{Imported, LeftOut};

    #[test]
    fn an_archive_is_one_by_its_name_and_by_how_it_begins() {
        let cases: [(&str, &[u8], bool); 5] = [
            ("a.zip", b"PK\x03\x04", true),
            ("Project.ZIP", b"PK\x05\x06", true),
            ("a.zip", b"no archive", false),
            ("report.docx", b"PK\x03\x04", false),
            ("zip", b"PK", false),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(is_archive(name, bytes), expected, "{name}");
        }
    }

    #[test]
    fn nobody_misses_what_macos_keeps_beside_files() {
        let left_out = |path: &str, code: &str| LeftOut { path: path.into(), code: code.into(), reason: String::new() };
        let skipped = ["mac-metadata", "link", "encrypted", "packing"].map(|code| left_out("x", code)).to_vec();
        let imported = Imported { skipped, ..Imported::default() };
        let codes: Vec<&str> = imported.missed().map(|left_out| left_out.code.as_str()).collect();
        assert_eq!(codes, ["link", "encrypted", "packing"]);
    }
}
