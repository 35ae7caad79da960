export { builtinModules } from './builtin-modules.js';
export type {
  ChangeKeeper,
  EditorFiles,
  EditorTerminal,
  TerminalCommand,
  TerminalRun,
} from './capabilities.js';
export { ApprovalPolicy, decide as decideApproval } from './hooks/hooks-approval/approval-policy.js';
export { decidePermission, type PermissionVerdict } from './hooks/hooks-approval/decide-permission.js';
export {
  PERMISSION_ACTIONS,
  type PermissionAction,
  type PermissionCall,
  type PermissionRule,
  readRules,
  splitRule,
  toolsNamed,
  unreadablePaths,
} from './hooks/hooks-approval/permission-rule.js';
export type { SessionPermissions } from './hooks/hooks-approval/session-permissions.js';
export { touchedPaths } from './hooks/hooks-approval/touched-paths.js';
export { MODULE_ERROR_CODES, ModuleError, type ModuleErrorCode } from './module-error.js';
export { loadShellParser, type ShellCommands } from './shell/load-shell-parser.js';
export { UNKNOWN } from './shell/unknown-text.js';
export { TOOL_ERROR_CODES, ToolError, type ToolErrorCode } from './tools/tool-error.js';
export { signInToServer } from './tools/tool-mcp/sign-in.js';
export { type FoundSkill, type FoundSkills, findSkills } from './tools/tool-skills/find-skills.js';
