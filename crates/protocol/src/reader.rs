//! What may be asked in a tab that only reads, and who answers it.

use crate::command::Command;

/// What becomes of a command in a tab that only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForReader {
    /// It is this tab's own: a language, a model, a key.
    Here,
    /// The tab that writes answers it.
    AskWriter,
    /// It would change the workspace or a session.
    Refused,
}

/// Sorts a command.
pub fn for_reader(command: &Command) -> ForReader {
    match command {
        Command::Open { .. }
        | Command::SetLanguage { .. }
        | Command::TakeOver {}
        | Command::SetSeen { .. }
        | Command::ClearQueue {}
        | Command::Abort {}
        | Command::SetModel { .. }
        | Command::SetKey { .. }
        | Command::ForgetKeys {}
        | Command::TestConnection { .. }
        | Command::SetBreakpoints { .. }
        | Command::SetTools { .. }
        | Command::Pause {}
        | Command::Step {}
        | Command::StepTurn {}
        | Command::StepToAnswer {}
        | Command::Resume {}
        | Command::ClearFaults {}
        | Command::ListRequests {}
        | Command::ReadRequest { .. }
        | Command::ReadLedger {}
        | Command::Fingerprint { .. }
        | Command::ListRuns {}
        | Command::DiffRuns { .. }
        | Command::OpenLesson { .. }
        | Command::CloseLesson {}
        | Command::ListLessons {}
        | Command::SetToys { .. }
        | Command::AnswerToy { .. }
        | Command::SetPolicy { .. } => ForReader::Here,
        Command::ListFiles { .. }
        | Command::ReadFile { .. }
        | Command::StatFile { .. }
        | Command::ListTree {}
        | Command::Preview { .. }
        | Command::ListChanges {}
        | Command::DiffChange { .. }
        | Command::ReadVersion { .. }
        | Command::ListSnapshots {}
        | Command::DiffSnapshots { .. }
        | Command::ExportZip {}
        | Command::ListSessions {}
        | Command::OpenSession { .. }
        | Command::ExportSession { .. } => ForReader::AskWriter,
        Command::Prompt { .. }
        | Command::PlayLesson { .. }
        | Command::AnswerLesson { .. }
        | Command::HintLesson { .. }
        | Command::Continue {}
        | Command::Steer { .. }
        | Command::FollowUp { .. }
        | Command::Edit { .. }
        | Command::Rewind { .. }
        | Command::Fault { .. }
        | Command::Decide { .. }
        | Command::PlayPart { .. }
        | Command::AnswerAsModel { .. }
        | Command::AnswerAsHarness { .. }
        | Command::WriteFile { .. }
        | Command::MakeFolder { .. }
        | Command::RemoveFile { .. }
        | Command::RenameFile { .. }
        | Command::UndoChanges { .. }
        | Command::Snapshot { .. }
        | Command::Restore { .. }
        | Command::ImportZip {}
        | Command::OpenFolder { .. }
        | Command::FolderPlan {}
        | Command::SyncFolder { .. }
        | Command::CreateSession {}
        | Command::RenameSession { .. }
        | Command::RemoveSession { .. }
        | Command::ImportSession {} => ForReader::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> ForReader {
        for_reader(&serde_json::from_str(text).expect("a command"))
    }

    #[test]
    fn a_reader_changes_nothing_of_what_is_kept_and_sees_all_of_it() {
        let here = ["abort", "takeOver", "forgetKeys", "pause"].map(|name| format!(r#"{{"command":"{name}"}}"#));
        let asked = [
            r#"{"command":"listFiles","path":""}"#,
            r#"{"command":"readFile","path":"a"}"#,
            r#"{"command":"exportZip"}"#,
            r#"{"command":"listSessions"}"#,
            r#"{"command":"openSession","sessionId":"s"}"#,
            r#"{"command":"diffChange","change":1}"#,
        ];
        let refused = [
            r#"{"command":"prompt","text":"x"}"#,
            r#"{"command":"playLesson"}"#,
            r#"{"command":"continue"}"#,
            r#"{"command":"writeFile","path":"a"}"#,
            r#"{"command":"renameFile","path":"a","to":"b"}"#,
            r#"{"command":"importZip"}"#,
            r#"{"command":"undoChanges","changes":[1]}"#,
            r#"{"command":"restore","snapshot":"start"}"#,
            r#"{"command":"createSession"}"#,
            r#"{"command":"removeSession","sessionId":"s"}"#,
        ];
        assert_eq!(here.map(|text| sorted(&text)), [ForReader::Here; 4]);
        assert_eq!(asked.map(sorted), [ForReader::AskWriter; 6]);
        assert_eq!(refused.map(sorted), [ForReader::Refused; 10]);
    }
}
