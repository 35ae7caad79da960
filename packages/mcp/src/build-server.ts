import { randomBytes } from 'node:crypto';
import { AmplifierError, boundsFault, errorInfo, outOfBounds } from '@amplifier/host';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  isInputRequiredResult,
  McpServer,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { QUESTION_MS, QUESTION_ROUNDS } from './defaults.js';
import { judgeReexecution, NOTHING_OBSERVED } from './delegate/judge-reexecution.js';
import { McpToolError } from './mcp-error.js';
import { registerPrompts } from './prompts.js';
import type { McpService } from './service.js';
import { analyze } from './tools/analyze.js';
import { capabilities } from './tools/capabilities.js';
import { continueJob, delegate } from './tools/delegate.js';
import { discover } from './tools/discover.js';
import { doctor } from './tools/doctor.js';
import { activity, cancelJob, jobResult, jobStatus, listJobs, waitJob } from './tools/job-tools.js';
import { listRoles } from './tools/list-roles.js';
import { plan } from './tools/plan.js';
import { cleanProposalsTool, listProposalsTool, resolveProposal } from './tools/proposals.js';
import { review } from './tools/review.js';
import { listSessions, showSession } from './tools/session-tools.js';
import { setup } from './tools/setup.js';
import type { ToolDefinition } from './tools/tool.js';
import type { Call } from './wire/call.js';

export const TOOLS = [
  delegate,
  review,
  plan,
  capabilities,
  listRoles,
  doctor,
  discover,
  setup,
  listJobs,
  activity,
  jobStatus,
  jobResult,
  waitJob,
  cancelJob,
  continueJob,
  listSessions,
  showSession,
  analyze,
  listProposalsTool,
  resolveProposal,
  cleanProposalsTool,
] as unknown as readonly ToolDefinition[];

export interface EntryOptions {
  /** Is a caller's `trust_workspace` honoured? */
  honours_trust: boolean;
  version: string;
}

const INSTRUCTIONS =
  'Hand tasks to other agents with delegate; capabilities lists them. Agents know nothing of this conversation and change nothing unless safety_mode says so. For work of more than a few minutes use mode async with persist true, then wait_job.';

/** Makes the servers of one service: one for each connection, or for each request over HTTP. */
export function serverFactory(
  service: McpService,
  { honours_trust, version }: EntryOptions,
): McpServerFactory {
  // Rounds of one call come back to this process, so that a key of its own is enough.
  const codec = createRequestStateCodec<{ run_id: string }>({
    key: randomBytes(32),
    ttlSeconds: QUESTION_MS / 1000,
    bind: ({ http }) => http?.authInfo?.clientId ?? '',
  });
  return ({ era }) => {
    const server = new McpServer(
      { name: 'amplifier', title: 'Amplifier', version },
      {
        capabilities: { tools: {}, prompts: {} },
        instructions: INSTRUCTIONS,
        requestState: { verify: codec.verify },
        inputRequired: { maxRounds: QUESTION_ROUNDS, roundTimeoutMs: QUESTION_MS },
      },
    );
    const callOf = (context: ServerContext): Call => ({
      service,
      context,
      honours_trust,
      owner: context.http?.authInfo?.clientId ?? null,
      can_ask: canAsk(era === 'modern' ? declaredIn(context) : server.server.getClientCapabilities()),
      stays_open: era === 'legacy',
      seal: (payload) => codec.mint(payload, context),
    });
    for (const tool of TOOLS) register(server, tool, callOf);
    registerPrompts(server);
    return server;
  };
}

function register(server: McpServer, tool: ToolDefinition, callOf: (context: ServerContext) => Call): void {
  const { name, title, description, input, output, annotations } = tool;
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: uncheckedInput(input),
      outputSchema: output,
      annotations: { title, ...annotations },
    },
    async (args, context) => {
      const call = callOf(context);
      try {
        const fault = boundsFault(args);
        if (fault !== null) throw outOfBounds(`The call of ${name}`, fault);
        const given = await tool.run(checkInput(tool, args), call);
        if (isInputRequiredResult(given)) return given;
        return { content: [{ type: 'text', text: tool.text(given) }], structuredContent: given };
      } catch (error) {
        return refusal(error, call.service);
      }
    },
  );
}

/** What clients see of the input. It is checked here and not by the library, whose refusal would have no code. */
function uncheckedInput(input: ToolDefinition['input']): ToolDefinition['input'] {
  const { jsonSchema } = input['~standard'];
  const validate = (value: unknown) => ({ value });
  return {
    '~standard': { version: 1, vendor: 'amplifier', jsonSchema, validate },
  } as unknown as ToolDefinition['input'];
}

/** Throws `INVALID_INPUT`, which names every input that cannot be used. */
function checkInput({ name, input }: ToolDefinition, args: unknown): Record<string, unknown> {
  const parsed = input.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || name}: ${message}`);
  throw new McpToolError('INVALID_INPUT', faults.join('; '));
}

/** Under this name a refused call carries what a program needs to know of it. */
const ERROR_META = 'amplifier/error';

/**
 * A call that could not be carried out, as the model that made it can read it. It has no structured content: clients hold that
 * against the form of the tool's results, and would show their own complaint instead.
 */
function refusal(error: unknown, service: McpService): CallToolResult {
  const known = AmplifierError.is(error);
  const { code = 'INTERNAL', message } = errorInfo(error);
  if (!known) service.report({ level: 'error', code, message, error });
  const details = error instanceof McpToolError ? error.details : undefined;
  const failure = {
    code,
    message: known ? message : `Something went wrong here: ${message}`,
    reexecution_safety: judgeReexecution(code, NOTHING_OBSERVED),
    details,
  };
  const more = details ? [JSON.stringify(details)] : [];
  return {
    isError: true,
    content: [{ type: 'text', text: [`${code}: ${failure.message}`, ...more].join('\n') }],
    _meta: { [ERROR_META]: failure },
  };
}

function declaredIn({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** An empty declaration means forms, as it did before there was anything else. */
function canAsk(declared: ClientCapabilities | undefined): boolean {
  const elicitation = declared?.elicitation as { form?: unknown; url?: unknown } | undefined;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
