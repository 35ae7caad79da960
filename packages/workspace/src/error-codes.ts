/** Every way the workspace refuses or fails, with one sentence for each. Codes are stable; wording is not. */
export const WORKSPACE_ERROR_CODES = {
  PATH_INVALID: 'The path cannot name a file: it is empty or contains a NUL byte.',
  PATH_DENIED: 'The path, with its symlinks resolved, is outside what the session may read or write.',
  PATH_CHANGED:
    'The path led somewhere else when it was opened than when it was checked; nothing was touched.',
  PATH_LOOP: 'The path runs through more symlinks than any honest path does.',
  NOT_A_FILE: 'The path leads to something that is not a regular file.',
  EXEC_DENIED: 'The session may not run this command; the message says why.',
  CANCELLED: 'The command was cancelled before it was started.',
  COMMAND_NOT_FOUND: 'The command does not exist or cannot be executed.',
  FOLDER_NOT_FOUND: 'The folder does not exist.',
  FOLDER_TOO_LARGE: 'The folder holds more files or bytes than are kept.',
  GIT_FAILED: 'git refused; the message holds what it said.',
  SOURCE_WITHOUT_COMMIT: 'A git worktree was asked for, but the folder is not in a repository with a commit.',
  SOURCE_TOO_LARGE: 'The folder is too large to be copied; the message says how large it may be.',
  ISOLATION_NOT_FOUND: 'There is no isolated tree with this id.',
  PROPOSAL_NOT_FOUND: 'There is no proposal with this id, or several begin with it.',
  PROPOSAL_NOT_WAITING: 'The proposal has been applied or undone, so it waits for nobody.',
  PROPOSAL_ACTS_LATER:
    'The proposal changes files that other programs act by later; a person looks at them and applies it.',
  PATCH_STALE: 'The isolated tree changed after the patch was made; make it again.',
  PATCH_TOO_LARGE: 'There are more or larger changes than a patch holds, so it is not applied.',
  APPLY_NOT_FOUND: 'There is no applied patch with this id.',
  APPLY_NOT_UNDOABLE: 'The patch is not applied, so there is nothing to undo.',
  WORKSPACE_BUSY: 'Another process is applying or undoing a patch in the same tree.',
  RECORD_INVALID: 'A record of the workspace cannot be read; the message names the file.',
  TRUST_FILE_INVALID: 'The settings file is not valid, so it was left as it is.',
  HOME_UNKNOWN:
    'There is no place for settings, keys and sessions: HOME, or the variable that moves it, is no absolute path.',
  SPAWN_FAILED: 'The operating system did not start the command.',
} as const;

export type WorkspaceErrorCode = keyof typeof WORKSPACE_ERROR_CODES;
