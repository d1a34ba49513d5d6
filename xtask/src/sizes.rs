//! The size budgets: what a visitor downloads, in brotli bytes, of each part that is loaded by itself.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::run::{Failure, Outcome};
use crate::stamp::files_under;

/// A part of the site and what it may weigh.
struct Budget {
    part: &'static str,
    /// Files, or folders of them.
    files: &'static [&'static str],
    /// What fails the build.
    kilobytes: usize,
}

/// Percents over a budget at which a build does not fail yet. The budgets were measured with Debian's rustc 1.96; other compilers
/// and standard libraries make one percent more or less of the same source. What is over is marked all the same.
const ALLOWANCE: usize = 2;

const BUDGETS: [Budget; 12] = [
    Budget { part: "page", files: &["page_bg.wasm", "page.js", "style.css"], kilobytes: 240 },
    // Loaded when the page is at rest, or when it is asked for: what no first screen needs.
    Budget { part: "panels", files: &["page_panels.wasm", "late.css"], kilobytes: 160 },
    Budget { part: "worker", files: &["worker_bg.wasm", "worker.js"], kilobytes: 710 },
    Budget { part: "markdown", files: &["markdown_bg.wasm", "markdown.js"], kilobytes: 82 },
    // Loaded when a first archive comes or goes, or a folder is opened.
    Budget { part: "transfer", files: &["transfer_bg.wasm", "transfer.js"], kilobytes: 120 },
    // Loaded when a file is opened for editing or a diff is shown; absent where npm was not to be had.
    Budget { part: "editor", files: &["editor.js"], kilobytes: 200 },
    // Loaded with the first preview.
    Budget { part: "preview", files: &["preview.js", "preview.html"], kilobytes: 4 },
    // Loaded with the first call of a tool that the reader made.
    Budget { part: "toys", files: &["toys.js", "toys.html"], kilobytes: 3 },
    // Loaded when a model first runs a command.
    Budget { part: "shell", files: &["shell_bg.wasm", "shell.js", "shell_loader.js"], kilobytes: 1500 },
    // Loaded when a command first names jq.
    Budget { part: "jq", files: &["jq_bg.wasm", "jq.js"], kilobytes: 200 },
    // The folder: all of its scripts and the module.
    Budget { part: "engine", files: &["engine"], kilobytes: 650 },
    Budget { part: "loader", files: &["vitrine.js", "event_reader.js"], kilobytes: 6 },
];

/// Weighs the parts of a finished site, prints the table, and names those over their budget.
pub fn over_budget(site: &Path) -> Outcome<Vec<String>> {
    println!("{:<10}{:>12}{:>12}{:>12}", "part", "bytes", "brotli", "budget");
    let mut over = Vec::new();
    for budget in &BUDGETS {
        let (mut plain, mut packed) = (0, 0);
        let files = loaded(site, budget.files)?;
        if !files.iter().any(|file| file.exists()) && budget.part == "editor" {
            continue;
        }
        for file in files {
            let bytes = fs::read(&file).map_err(|error| Failure::io(&file, &error))?;
            plain += bytes.len();
            packed += brotli_size(&bytes)?;
        }
        // A kilobyte is 1,000 bytes here, the stricter reading.
        let limit = budget.kilobytes * 1000;
        let mark = if packed > limit { "  OVER" } else { "" };
        println!("{:<10}{plain:>12}{packed:>12}{limit:>12}{mark}", budget.part);
        if packed > limit + limit * ALLOWANCE / 100 {
            over.push(format!("{} by {} bytes", budget.part, packed - limit));
        }
    }
    over.extend(unbudgeted(site)?.iter().map(|name| format!("{name}, which has no budget")));
    Ok(over)
}

/// Modules that no budget counts: a part that was taken off another must not go uncounted.
fn unbudgeted(site: &Path) -> Outcome<Vec<String>> {
    let mut counted = Vec::new();
    for budget in &BUDGETS {
        counted.extend(loaded(site, budget.files)?);
    }
    let is_uncounted =
        |file: &PathBuf| file.extension().is_some_and(|extension| extension == "wasm") && !counted.contains(file);
    let name = |file: PathBuf| file.strip_prefix(site).unwrap_or(&file).to_string_lossy().into_owned();
    Ok(files_under(site)?.into_iter().filter(is_uncounted).map(name).collect())
}

/// The files of a part; of a folder those that run.
fn loaded(site: &Path, names: &[&str]) -> Outcome<Vec<PathBuf>> {
    let runs = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "js" || extension == "wasm");
    let mut files = Vec::new();
    for path in names.iter().map(|name| site.join(name)) {
        match path.is_dir() {
            true => files.extend(files_under(&path)?.into_iter().filter(runs)),
            false => files.push(path),
        }
    }
    Ok(files)
}

fn brotli_size(bytes: &[u8]) -> Outcome<usize> {
    let mut packed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut packed, 1 << 16, 11, 22);
    let written = writer.write_all(bytes).and_then(|()| writer.flush());
    drop(writer);
    written.map(|()| packed.len()).map_err(|error| Failure::new(format!("brotli: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_counted_once_and_a_module_always() {
        let files = BUDGETS.iter().flat_map(|budget| budget.files).collect::<Vec<_>>();
        let mut once = files.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), files.len());

        let site = std::env::temp_dir().join(format!("vitrine-sizes-{}", std::process::id()));
        fs::create_dir_all(site.join("engine")).unwrap();
        for name in ["page_bg.wasm", "page_panels.wasm", "page_chunk_2.wasm", "engine/engine_bg.wasm", "page.js"] {
            fs::write(site.join(name), name).unwrap();
        }
        let found = unbudgeted(&site);
        fs::remove_dir_all(&site).unwrap();
        assert_eq!(found.unwrap(), ["page_chunk_2.wasm"]);
    }

    #[test]
    fn what_comes_late_is_no_part_of_what_comes_first() {
        let limit = |part: &str| BUDGETS.iter().find(|budget| budget.part == part).map(|budget| budget.kilobytes);
        let files = |part: &str| BUDGETS.iter().find(|budget| budget.part == part).map(|budget| budget.files);
        assert_eq!(limit("page"), Some(240));
        assert_eq!(files("page"), Some(&["page_bg.wasm", "page.js", "style.css"][..]));
        assert_eq!(files("panels"), Some(&["page_panels.wasm", "late.css"][..]));
    }
}
