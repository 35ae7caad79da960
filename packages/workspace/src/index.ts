export { type Action, checkGrant, type GrantDecision } from './check-grant.js';
export { explainGrant } from './explain-grant.js';
export { ExecLevel, FULL_GRANT, Grant, intersectGrants, READ_ONLY_GRANT } from './grant.js';
export { intersectScopes, isWithin, PathScope, pathScope } from './path-scope.js';
export { grantForSafetyMode, requiresTrust, type SafetyContext, SafetyMode } from './safety-mode.js';
