export { AcpError } from './acp-error.js';
export { AcpAgent, type AcpAgentOptions } from './agent/acp-agent.js';
export type { AgentFolder, AgentModel, FolderSession, FolderTurn } from './agent/agent-folder.js';
export { type ServeOptions, serveStdio } from './agent/serve-stdio.js';
export type { AskRules } from './client/rule-call.js';
export { AcpEngine, type AcpEngineOptions } from './engine/acp-engine.js';
export { AcpWishes } from './engine/wishes.js';
export {
  ACP_ERROR_CODES,
  type AcpErrorCode,
  REEXECUTION_SAFETY,
  type ReexecutionSafety,
} from './error-codes.js';
export { CircuitBreaker } from './fallback/circuit-breaker.js';
export { CANCELLED, fallbackModel, runWithFallback } from './fallback/run-with-fallback.js';
export { type AgentConnection, type ConnectStep, connectAgent } from './probe/connect-agent.js';
export { depthFrom } from './process/agent-env.js';
export { acpAgents, splitTarget } from './roster/agent-catalog.js';
export { AgentDescriptor, Effort } from './roster/descriptor.js';
export { importAcpJson } from './roster/import-acp-json.js';
export { buildRoster, Roster, type RosterConfig } from './roster/roster.js';
