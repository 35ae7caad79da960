export { builtinModules } from './builtin-modules.js';
export type { MessageLog } from './capabilities.js';
export { MODULE_ERROR_CODES, ModuleError, type ModuleErrorCode } from './module-error.js';
