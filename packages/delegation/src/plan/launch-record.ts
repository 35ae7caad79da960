import type { JsonObject, MountPlan } from '@amplifier/core';
import type { ModelChoice } from '@amplifier/foundation';
import type { Grant, SafetyMode } from '@amplifier/workspace';
import type { Limits } from '../metering/limits.js';
import type { ContextManifest } from './inherit-context.js';

/**
 * Everything a delegation was resolved to, written before the child runs. Spawn, resume, fork, fallback and takeover
 * after a crash all start from this document alone.
 */
export type LaunchRecord = {
  version: 1;
  session_id: string;
  parent_id: string | null;
  root_id: string;
  trace_id: string;
  depth: number;
  agent: {
    name: string | null;
    origin: string;
    /** Of the agent's file, to tell later whether it changed. */
    digest: string | null;
    /** The child's system prompt. */
    instruction: string | null;
  };
  /** `in_process`, or the id of another engine such as `acp:claude_code`. */
  engine: string;
  /** The merged plan, without secrets; `${VAR}` references are kept. */
  plan: MountPlan;
  model: ModelChoice;
  context: ContextManifest;
  grant: Grant;
  limits: Limits;
  safety_mode: SafetyMode;
  workspace: {
    cwd: string;
    /** The user's own folder, where `cwd` is its counterpart in the isolated tree of a session above. */
    folder?: string | undefined;
    isolation: 'none' | 'worktree' | 'copy';
    trusted: boolean;
    /** Whoever started it may say that the folder is trusted, and did: no list is asked. */
    trust_declared?: boolean | undefined;
    /** The digest of what the folder's own files brought into the plan, when a person had trusted it. Absent: they brought nothing. */
    acting?: string | undefined;
    /** Say after each turn what it changed in the folder. */
    report_changes?: boolean | undefined;
    /** An external agent changes the folder itself in the first turn, and not a tree of its own that is brought back. */
    direct?: boolean | undefined;
  };
  instruction: string;
  tool_call_id: string | null;
  parallel_group_id: string | null;
  background: boolean;
  agent_access: 'all' | 'roster';
  /** May it put a question to whoever delegated to it? */
  may_ask: boolean;
  /** How often in a row a session was made by delegating to itself. */
  self_depth: number;
  output_schema: JsonObject | null;
  /** Characters of the answer that its parent gets at most. */
  max_result?: number | undefined;
  /** MCP servers that its plan must have. */
  needs_servers?: string[] | undefined;
  /** Skills whose text is part of its system prompt. */
  skills?: string[] | undefined;
  created_at: string;
};
