import type { AmplifierModule, JsonObject, Session, ToolContext, ToolResult } from '@amplifier/core';
import type { ScriptedProvider } from './scripted-provider.js';
import { type ScriptedSessionOptions, scriptedSession } from './scripted-session.js';

export interface MountedSessionOptions extends ScriptedSessionOptions {
  /** Modules under test by id, mounted as what they are. */
  toolModules?: Record<string, AmplifierModule>;
  hookModules?: Record<string, AmplifierModule>;
  /** Configuration by module id. */
  config?: Record<string, JsonObject>;
  /** Registered before anything is mounted. */
  capabilities?: JsonObject;
}

/** An initialized session that is cleaned up when the test leaves its block. Use it with `await using`. */
export interface MountedSession extends AsyncDisposable {
  session: Session;
  model: ScriptedProvider;
  /** Runs a mounted tool outside a turn, as a loop would. */
  call(tool: string, input: JsonObject, context?: Partial<ToolContext>): Promise<ToolResult>;
}

export async function mountedSession(options: MountedSessionOptions = {}): Promise<MountedSession> {
  const { toolModules = {}, hookModules = {}, config = {}, capabilities = {}, ...rest } = options;
  const entries = (modules: Record<string, AmplifierModule>) =>
    Object.keys(modules).map((module) => ({ module, config: config[module] ?? {} }));
  const { session, model } = scriptedSession({
    ...rest,
    modules: { ...rest.modules, ...toolModules, ...hookModules },
    plan: { tools: ['tool-test', ...entries(toolModules)], hooks: entries(hookModules), ...rest.plan },
  });
  for (const [name, value] of Object.entries(capabilities))
    session.coordinator.registerCapability(name, value as never);
  await session.initialize();
  let calls = 0;
  return {
    session,
    model,
    call: (tool, input, context) => callTool(session, `call_${++calls}`, tool, input, context),
    [Symbol.asyncDispose]: () => session.cleanup(),
  };
}

async function callTool(
  { coordinator }: Session,
  tool_call_id: string,
  name: string,
  input: JsonObject,
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const tool = coordinator.mounts.all('tools').get(name);
  if (!tool) {
    const problems = coordinator.diagnostics.map((diagnostic) => diagnostic.message);
    throw new Error([`No tool '${name}' is mounted.`, ...problems].join('\n'));
  }
  const { cancellation, session } = coordinator;
  return tool.execute(input, {
    tool_call_id,
    parallel_group_id: null,
    session,
    cancellation,
    signal: cancellation.signal,
    coordinator,
    ...context,
  });
}
