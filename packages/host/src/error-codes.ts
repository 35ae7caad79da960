/** Every way the assembly itself fails, with one sentence for each. Codes are stable. */
export const HOST_ERROR_CODES = {
  NO_MODEL: 'No provider of the plan is usable: none has credentials.',
  SESSION_NOT_FOUND: 'No session of any project has this id.',
  SESSION_AMBIGUOUS: 'Several sessions begin with this text.',
  RECORD_NOT_FOUND: 'There is no record at the given place.',
  HOME_NOT_WRITABLE: 'The folder that holds the sessions cannot be written.',
  WORKSPACE_NOT_TRUSTED: 'The mode changes files, and the folder is not trusted.',
  MODULE_NOT_TRUSTED: 'A module or bundle is not as it was when it was trusted.',
  MODULE_TOO_LARGE: 'A module is too large to be copied with everything it imports.',
  AGENT_NOT_INSTALLED: 'The external agent is known, but its program is not installed.',
  SKILL_NOT_FOUND: 'No folder of skills has one of this name.',
  MCP_SERVER_MISSING: 'The session declares an MCP server that cannot be reached.',
  OTHER_FILE_INVALID: 'A file of another tool cannot be read.',
  ACP_JSON_INVALID: 'A file that lists external agents cannot be read.',
  LOCAL_SERVERS_INVALID: 'The variable that names local model servers cannot be read.',
  INVALID_PERMISSIONS: 'A file with permission rules cannot be read.',
  RUN_NOT_FOUND: 'There is no run with this id; ended runs are kept for a week.',
  RUN_EXISTS: 'The run id is taken.',
  RUN_ENDED: 'The run has ended already.',
  RUN_NOT_INTERRUPTED: 'Only an interrupted run that is the session’s last can be continued.',
  INVALID_RUN: 'The options of the run cannot be combined.',
  SESSION_RUNNING: 'The session is busy, and the run was not to wait.',
  TOO_MANY_RUNS: 'Too many runs of the session are queued.',
  AGENT_NOT_FOUND: 'The session has no agent with this name.',
  DELEGATION_REFUSED: 'The session may not make this delegation.',
} as const;

export type HostErrorCode = keyof typeof HOST_ERROR_CODES;
