//! How much a command may take. Time is not among them: whoever runs the shell ends it.

use std::time::Duration;

use bashkit::{ExecutionLimits, FsLimits, MemoryLimits, SessionLimits};

/// Bytes of one file, as in the workspace.
pub const FILE_BYTES: u64 = 256 << 20;
/// Bytes of all files of the workspace, as there.
pub const WORKSPACE_BYTES: u64 = 512 << 20;
/// Files and folders of the workspace, as there.
pub const ENTRIES: usize = 200_000;
/// Bytes of one name, as in the workspace.
pub const NAME_BYTES: usize = 255;
/// Bytes of a path, as in the workspace.
pub const PATH_BYTES: usize = 4096;
/// Names of a path, as in the workspace.
pub const DEPTH: usize = 128;
/// Bytes that a command may print to each of its streams.
pub const OUTPUT_BYTES: usize = 10 << 20;
/// Bytes of the state that is kept for a shell to come.
pub const STATE_BYTES: usize = 4 << 20;

/// What is outside of the workspace: scratch files, which nobody keeps.
pub fn scratch() -> FsLimits {
    FsLimits::new()
        .max_total_bytes(64 << 20)
        .max_file_size(64 << 20)
        .max_file_count(10_000)
        .max_dir_count(10_000)
        .max_path_depth(DEPTH)
        .max_filename_length(NAME_BYTES)
        .max_path_length(PATH_BYTES)
}

/// Of one command. A loop over every line of a large file must end by itself; one that never ends should, too.
pub fn execution() -> ExecutionLimits {
    ExecutionLimits::new()
        .max_work_units(20_000_000_000)
        .max_aggregate_input_bytes(8 << 30)
        .max_live_intermediate_bytes(256 << 20)
        .max_commands(50_000_000)
        .max_loop_iterations(20_000_000)
        .max_total_loop_iterations(50_000_000)
        // A day; the host's own limit comes first. A far larger one is more than a timer of the browser takes.
        .timeout(Duration::from_secs(86_400))
        .parser_timeout(Duration::from_secs(30))
        .max_parser_operations(2_000_000)
        .max_stdout_bytes(OUTPUT_BYTES)
        .max_stderr_bytes(OUTPUT_BYTES)
        .max_word_split_fields(1_000_000)
        .max_word_split_bytes(64 << 20)
}

/// Of what lives from command to command.
pub fn memory() -> MemoryLimits {
    MemoryLimits::new().max_total_variable_bytes(64 << 20).max_array_entries(1_000_000)
}

/// Commands are counted one by one, not over the life of a shell.
pub fn session() -> SessionLimits {
    SessionLimits::unlimited()
}
