/** What the program's exit code says. Outcomes of a session map to these in one table, `OUTCOME_VIEWS`. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  needs_input: 4,
  interrupted: 130,
  /** Whoever read our output went away, as a shell reports it. */
  closed_pipe: 141,
} as const;

export const EXIT_CODE_HELP = `Exit codes:
  0    completed
  1    failed, refused or denied
  2    the command line is invalid
  3    a limit was reached or the session stalled; it can be resumed
  4    the agent asks a question; resume with the answer
  130  stopped by the user
  141  the reader of the output closed it`;
