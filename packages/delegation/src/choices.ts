/** Values and texts of a delegation request, for programs that show them before they load anything else. */

export const CONTEXT_DEPTHS = ['none', 'recent', 'summary', 'all'] as const;
export const CONTEXT_SCOPES = ['conversation', 'agents', 'full'] as const;
export const ISOLATIONS = ['none', 'worktree', 'copy'] as const;

/** `whole`: the answer as it is, cut where it is too long. `summary`: the child is asked to write it to fit. */
export const HAND_BACKS = ['whole', 'summary'] as const;

/** The least `max_result`: less would say nothing. */
export const MIN_RESULT = 200;

/** What the members of a request mean, as tool schemas, REST, MCP and the help of the command line show it. */
export const MEMBER_TEXTS = {
  session_id: 'Continue this session, as named in an earlier result, instead of creating a new one.',
  context_depth: 'How much of the conversation the agent sees.',
  context_turns: 'Number of turns that count as recent.',
  context_scope: 'Which content: what was said, also results of agents, or all tool results.',
  provider_preferences:
    'Models to try in order; the first that is available is used. Takes precedence over the model role.',
  strict_preferences:
    'Fail if none of the preferences can be met. Without it, the default model is used then.',
  background: 'Return at once; the result is delivered later.',
  output_schema: 'JSON Schema that the answer must fit. Leave it out for plain text.',
  isolation: 'Let the agent work in a separate tree. Its changes are returned as a patch.',
  inherit_tools:
    'Inherit only these tools of the parent, by module or tool name. What the agent declares is kept.',
  exclude_tools: 'Tools of the parent that are not inherited, by module or tool name.',
  max_result: 'Maximum length of the returned answer in characters. The session keeps the full answer.',
  hand_back:
    'summary asks the agent to write an answer that fits the maximum length; whole returns it unchanged.',
  skills: 'Names of skills to include in a new session.',
} as const;
