import { readFile } from 'node:fs/promises';
import {
  type Delegation,
  type FoundSession,
  failoverFor,
  findSession,
  type Host,
  hostPaths,
  type JsonObject,
  runningResult,
} from '@amplifier/host';
import { MIN_RESULT } from '@amplifier/host/choices';
import type { Cli } from '../../cli.js';
import { inFolderOf, openCliHost } from '../../open/open-host.js';
import { readPrompt } from '../../options/read-prompt.js';
import {
  fromFolder,
  readSessionOptions,
  type SessionOptions,
  text,
  whole,
} from '../../options/session-options.js';
import { showOutcome } from '../../output/show-outcome.js';
import type { Options } from '../../program/bind.js';
import { stopOnSignal } from '../../stop-on-signal.js';
import { Person } from '../../terminal/person.js';
import { watchSession } from '../../terminal/watch-session.js';
import { UsageError } from '../../usage-error.js';

/** The Delegator from the shell. The parent is a session the user names, or a new one that only holds the child. */
export async function delegate(cli: Cli, agent: string, words: string[], options: Options): Promise<number> {
  const session = readSessionOptions(cli, options);
  const instruction = await readPrompt(words);
  const parentId = text(options.parent);
  const resumedId = text(options.sessionId);
  const find = (id: string | undefined) => (id === undefined ? null : findSession(id, hostPaths(cli.cwd)));
  const resumed = await find(resumedId);
  // A session is resumed by whoever started it, unless another parent is named.
  const above = (await find(parentId)) ?? resumed;
  const folder = above ? inFolderOf(above, cli) : cli;
  const { bundle, offline, form } = session;
  const person = new Person(cli, session.safety_mode);
  await using host = await openCliHost(folder, {
    ...person.hostOptions,
    bundle,
    offline,
    place: above?.place,
  });
  const request = await readRequest(cli, host, agent, instruction, options, session, resumed);
  const stop = stopOnSignal(cli);
  const watcher = watchSession(cli, options.background ? 'json' : form);
  person.attend(host, watcher, stop.token);
  try {
    const { safety_mode, limits, network } = session;
    if (request.session_id === undefined) await host.requireModelFor(agent);
    if (!above) await host.requireTrustFor(agent, safety_mode);
    const parent_id =
      parentId !== undefined && above
        ? above.session_id
        : resumed
          ? await parentOf(host, resumed.session_id)
          : (
              await host.create({
                safety_mode,
                trusted: true,
                limits,
                network,
                fallback: failoverFor(session),
              })
            ).session_id;
    if (above) {
      const { safety_mode: given } = await host.parent(parent_id);
      await host.requireTrustFor(agent, session.safety_named ? safety_mode : given);
    }
    const watching = { cancellation: stop.token, onEvent: watcher.onEvent };
    const delegation = await host.delegate(parent_id, request, watching);
    watcher.close();
    return await showDelegation(cli, session, delegation);
  } finally {
    person.leave();
    watcher.close();
    stop.release();
  }
}

async function parentOf(host: Host, session_id: string): Promise<string> {
  const { parent_id } = await host.store.metadata(session_id);
  if (parent_id !== null) return parent_id;
  throw new UsageError(
    `Session ${session_id} has no parent. Give it an instruction with: amplifier session resume ${session_id}`,
  );
}

async function showDelegation(cli: Cli, { form }: SessionOptions, delegation: Delegation): Promise<number> {
  if (delegation.kind === 'outcome') return showOutcome(cli, form, delegation.outcome, delegation.launch);
  const result = runningResult(delegation.launch);
  if (form === 'text') {
    cli.print(result.session_id);
    cli.say(`Running in the background. Get the result with: amplifier wait ${result.session_id}`);
  } else {
    cli.printJson(result);
  }
  return 0;
}

async function readRequest(
  cli: Cli,
  host: Host,
  agent: string,
  instruction: string,
  options: Options,
  session: SessionOptions,
  resumed: FoundSession | null,
): Promise<JsonObject> {
  const { contextDepth, contextTurns, contextScope, isolation, inheritTool, excludeTool, timeout } = options;
  const { skill, maxResult, handBack } = options;
  const schema = text(options.outputSchema);
  const external = await host.isExternal(agent);
  const preferences = external ? [] : [...preferred(options.prefer), ...(await host.preferences(session))];
  return {
    agent,
    instruction,
    session_id: resumed?.session_id,
    context_depth: contextDepth,
    context_turns: contextTurns === undefined ? undefined : whole('--context-turns', contextTurns, 0),
    context_scope: contextScope,
    metadata: external && session.model !== undefined ? { acp: { model: session.model } } : undefined,
    provider_preferences: preferences.length > 0 ? preferences : undefined,
    model_role: session.role,
    strict_preferences: options.strict || options.strictModels ? true : undefined,
    background: options.background ? true : undefined,
    timeout: timeout === undefined ? undefined : (session.limits.timeout ?? null),
    output_schema: schema ? await readSchema(fromFolder(cli.cwd, schema)) : undefined,
    safety_mode: session.safety_named ? session.safety_mode : undefined,
    network: session.network,
    attachments: session.attachments.length > 0 ? session.attachments : undefined,
    isolation,
    skills: skill,
    max_result: maxResult === undefined ? undefined : whole('--max-result', maxResult, MIN_RESULT),
    hand_back: handBack,
    inherit_tools: inheritTool,
    exclude_tools: excludeTool,
    limits: Object.keys(session.limits).length > 0 ? session.limits : undefined,
  };
}

function preferred(values: unknown): { provider: string; model: string }[] {
  return (Array.isArray(values) ? values.map(String) : []).map((value) => {
    const [, provider, model] = /^([^/]+)\/(.+)$/.exec(value) ?? [];
    if (provider === undefined || model === undefined)
      throw new UsageError(
        `--prefer takes provider/model, such as anthropic/claude-haiku-*, not '${value}'.`,
      );
    return { provider, model };
  });
}

async function readSchema(file: string): Promise<JsonObject> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as JsonObject;
  } catch (error) {
    throw new UsageError(`The schema ${file} cannot be read: ${(error as Error).message}`);
  }
}
