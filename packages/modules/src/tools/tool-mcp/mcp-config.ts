import { z } from 'zod';
import {
  MCP_CALL_TIMEOUT_MS,
  MCP_CONNECT_TIMEOUT_MS,
  MCP_START_WAIT_MS,
  MCP_TOOLS_SHOWN,
} from '../defaults.js';

const shared = {
  connect_timeout_ms: z.number().int().positive().default(MCP_CONNECT_TIMEOUT_MS),
  /** The session begins without it after this long, unless it is required, and has its tools once it is up. */
  start_wait_ms: z.number().int().positive().default(MCP_START_WAIT_MS),
  timeout_ms: z.number().int().positive().default(MCP_CALL_TIMEOUT_MS),
  /** Globs over the server's tool names. Given: no other tool is offered. */
  tools: z.array(z.string()).optional(),
  /** Globs over tools that change nothing, so that a session that may only read may use them. */
  read_only_tools: z.array(z.string()).default([]),
  /** Started when a tool of it is first called, or with the session. */
  start: z.enum(['on_use', 'with_session']).default('on_use'),
  /** The session does not begin without it. */
  required: z.boolean().default(false),
  /** Believe what the server itself says about which of its tools change nothing. */
  trust_annotations: z.boolean().default(false),
};

/** A program that speaks MCP over its input and output. */
const StdioServer = z.object({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  /** From the folder of the session. Absent: that folder if it is trusted, else one outside of all projects. */
  cwd: z.string().optional(),
  /** Files and folders that it may write, whatever the session may. Only the user's own files can give it any. */
  state_paths: z.array(z.string()).default([]),
  ...shared,
});

/** A server reached by streamable HTTP. */
const HttpServer = z.object({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  ...shared,
});

export const McpServerConfig = z.union([StdioServer, HttpServer]);
export type McpServerConfig = z.output<typeof McpServerConfig>;
export type StdioServer = z.output<typeof StdioServer>;

export const McpConfig = z.object({
  servers: z
    .record(z.string().regex(/^[A-Za-z0-9_-]+$/, 'use letters, digits, _ and -'), McpServerConfig)
    .default({}),
  /** With more tools than this the model is given a tool to look for them. */
  tools_shown: z.number().int().nonnegative().default(MCP_TOOLS_SHOWN),
});
