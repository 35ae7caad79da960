// A real process that speaks the Agent Client Protocol and misbehaves on command. How it starts is decided by its
// flags (`flags.ts`); what it does with a prompt by the lines of the prompt that begin with `!` (`play.ts`).
import { setTimeout as delay } from 'node:timers/promises';
import { listOf, readFlags } from './flags.js';
import { ACTS } from './play.js';
import { type ChaosSession, findSession, newSession, saveSession } from './sessions.js';
import type { Stage } from './stage.js';
import { type Params, Wire, WireError } from './wire.js';

const flags = readFlags(process.argv.slice(2));
const sessions = new Map<string, ChaosSession>();
const running = new Map<string, AbortController>();
const models = listOf(flags.models);
const never = () => new Promise<never>(() => {});

const wire = new Wire({
  initialize: async () => {
    if (flags['no-handshake']) await never();
    await delay(Number(flags['handshake-delay'] ?? 0));
    return {
      protocolVersion: Number(flags.protocol),
      agentInfo: { name: 'chaos', version: '1.0.0' },
      authMethods: flags['needs-login'] ? [{ id: 'login', name: 'Log in with chaos login' }] : [],
      agentCapabilities: {
        loadSession: flags.load || flags['load-missing'],
        mcpCapabilities: { http: true },
        promptCapabilities: { image: flags.images },
        sessionCapabilities: {
          close: {},
          ...(flags.resume || flags['resume-missing'] ? { resume: {} } : {}),
        },
      },
    };
  },
  'session/new': async ({ cwd, mcpServers }) => {
    if (flags['no-session']) await never();
    if (flags['needs-login']) throw new WireError(-32000, 'Authentication required');
    return opened(newSession(String(cwd), serverNames(mcpServers)));
  },
  'session/resume': async ({ sessionId, cwd }) => {
    if (!flags.resume) throw new WireError(-32601, 'Method not found: session/resume');
    return opened({ ...known(sessionId), cwd: String(cwd) });
  },
  'session/load': async ({ sessionId, cwd }) => {
    if (!flags.load) throw new WireError(-32601, 'Method not found: session/load');
    const session = { ...known(sessionId), cwd: String(cwd) };
    if (flags['replay-late']) setTimeout(() => replay(session), 5);
    else replay(session);
    return opened(session);
  },
  'session/close': async ({ sessionId }) => void sessions.delete(String(sessionId)),
  'session/set_model': async ({ sessionId, modelId }) => void (await choose(sessionId, 'model', modelId)),
  'session/set_mode': async ({ sessionId, modeId }) => void (await choose(sessionId, 'mode', modeId)),
  'session/set_config_option': async ({ sessionId, configId, value }) => {
    const session = await choose(sessionId, configId as 'model' | 'effort', value);
    return { configOptions: configOptions(session) };
  },
  'session/cancel': async ({ sessionId }) => void running.get(String(sessionId))?.abort(),
  'session/prompt': async ({ sessionId, prompt }) => {
    if (flags['login-at-prompt']) throw new WireError(-32000, 'Authentication required');
    return answer(live(sessionId), textOf(prompt), imagesIn(prompt));
  },
});

async function answer(session: ChaosSession, prompt: string, images: string[]): Promise<Params> {
  const cancel = new AbortController();
  running.set(session.id, cancel);
  const response: Params = { stopReason: 'end_turn' };
  const stage: Stage = {
    wire,
    session,
    cancelled: cancel.signal,
    said: '',
    response,
    calls: 0,
    prompt,
    images,
    afterwards: [],
  };
  try {
    for (const [, name = '', rest = ''] of prompt.matchAll(/^!(\w+)[ \t]*(.*)$/gm)) {
      const act = ACTS[name];
      if (!act) throw new WireError(-32602, `The chaos agent does not know !${name}.`);
      await act(stage, rest);
    }
  } finally {
    running.delete(session.id);
  }
  session.turns.push({ prompt, answer: stage.said });
  saveSession(session);
  setImmediate(() => {
    for (const act of stage.afterwards) act();
  });
  return response;
}

function opened(session: ChaosSession): Params {
  session.model ??= models[0] ?? null;
  session.mode ??= listOf(flags.modes)[0] ?? null;
  session.effort ??= listOf(flags.efforts)[0] ?? null;
  sessions.set(session.id, session);
  const modes = listOf(flags.modes).map((id) => ({ id, name: id }));
  return {
    sessionId: session.id,
    ...(modes.length > 0 ? { modes: { currentModeId: session.mode, availableModes: modes } } : {}),
    ...(flags['legacy-models'] && models.length > 0
      ? {
          models: {
            currentModelId: session.model,
            availableModels: models.map((modelId) => ({ modelId, name: modelId })),
          },
        }
      : { configOptions: configOptions(session) }),
  };
}

function configOptions({ model, effort }: ChaosSession): Params[] {
  const select = (id: string, category: string, currentValue: string | null, values: string[]) =>
    values.length === 0
      ? []
      : [
          {
            type: 'select',
            id,
            name: id,
            category,
            currentValue,
            options: [
              { group: 'all', name: 'All', options: values.map((value) => ({ value, name: value })) },
            ],
          },
        ];
  return [
    ...select('model', 'model', model, flags['legacy-models'] ? [] : models),
    ...select('effort', 'thought_level', effort, listOf(flags.efforts)),
  ];
}

async function choose(
  sessionId: unknown,
  what: 'model' | 'effort' | 'mode',
  value: unknown,
): Promise<ChaosSession> {
  if (flags['no-choice']) await never();
  const session = live(sessionId);
  if (!(what === 'model' && flags['stubborn-model'])) session[what] = String(value);
  return session;
}

function replay({ id, turns }: ChaosSession): void {
  const chunk = (sessionUpdate: string, text: string) =>
    wire.notify('session/update', {
      sessionId: id,
      update: { sessionUpdate, content: { type: 'text', text } },
    });
  for (const turn of turns) {
    chunk('user_message_chunk', turn.prompt);
    chunk('agent_message_chunk', turn.answer);
  }
}

function live(sessionId: unknown): ChaosSession {
  const session = sessions.get(String(sessionId));
  if (!session) throw new WireError(-32002, 'Resource not found');
  return session;
}

function known(sessionId: unknown): ChaosSession {
  const session = findSession(String(sessionId));
  if (!session) throw new WireError(-32002, 'Resource not found');
  return session;
}

function serverNames(servers: unknown): string[] {
  return Array.isArray(servers) ? servers.map(({ name }: { name: string }) => name) : [];
}

function textOf(prompt: unknown): string {
  return (prompt as { type: string; text?: string }[]).map(({ text = '' }) => text).join('\n');
}

function imagesIn(prompt: unknown): string[] {
  const blocks = prompt as { type: string; mimeType?: string; data?: string }[];
  return blocks.flatMap(({ type, mimeType, data }) => (type === 'image' ? [`${mimeType} ${data}`] : []));
}

if (flags['exit-at-start'] !== undefined) {
  process.stderr.write('chaos: cannot start, API_KEY=Bearer abcdefgh12345678 is not accepted\n');
  process.exit(Number(flags['exit-at-start']));
}
if (flags['ignore-sigterm']) process.on('SIGTERM', () => {});
void serve();

/** One file of the older module format can be made of this, too. */
async function serve(): Promise<void> {
  await wire.listen();
  if (flags['ignore-eof']) await new Promise(() => setInterval(() => {}, 60_000));
  process.exit(0);
}
