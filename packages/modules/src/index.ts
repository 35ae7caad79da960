export { builtinModules } from './builtin-modules.js';
export type { EditorFiles, MessageLog } from './capabilities.js';
export { MODULE_ERROR_CODES, ModuleError, type ModuleErrorCode } from './module-error.js';
export { TOOL_ERROR_CODES, ToolError, type ToolErrorCode } from './tools/tool-error.js';
