export { builtinModules } from './builtin-modules.js';
