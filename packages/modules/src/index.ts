export { builtinModules } from './builtin-modules.js';
export { TOOL_ERROR_CODES, ToolError, type ToolErrorCode } from './tools/tool-error.js';
