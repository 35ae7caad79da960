import {
  type AmplifierModule,
  type ApprovalRequest,
  canonicalJson,
  type JsonObject,
  ModuleLoader,
  Session,
  type Tool,
  textOf,
  toolSuccess,
} from '@amplifier/core';
import { ScriptedProvider, scriptedProviderModule, TempWorkspace } from '@amplifier/testkit';
import { grantForSafetyMode } from '@amplifier/workspace';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtinModules } from '../../builtin-modules.js';

interface Call {
  name: string;
  arguments: JsonObject;
}

/** Members that another tool acts on, and that a guard or a screen could take for what the call is about. */
const SURPLUS = ['command', 'url', 'path', 'paths', 'cwd', 'file_path', 'query', 'edits', 'kind', 'x'];
const Surplus = fc.dictionary(
  fc.constantFrom(...SURPLUS),
  fc.constantFrom<unknown>('true', 'a.txt', ['a.txt'], { y: 1 }, 7, null),
  { maxKeys: 3 },
);
const Own: fc.Arbitrary<Call> = fc.oneof(
  fc
    .record({
      file_path: fc.constantFrom('a.txt', 'b.txt', './a.txt'),
      content: fc.constantFrom('good', 'EVIL'),
    })
    .map((args) => ({ name: 'write_file', arguments: args })),
  fc
    .record(
      {
        command: fc.constantFrom('echo good >> run.txt', 'echo EVIL >> run.txt'),
        cwd: fc.constantFrom('.', 'sub'),
        timeout: fc.constantFrom(20, 30),
      },
      { requiredKeys: ['command'] },
    )
    .map((args) => ({ name: 'bash', arguments: args })),
  fc
    .record({ sql: fc.constantFrom('select 1', 'drop table users') })
    .map((args) => ({ name: 'mcp_db_query', arguments: args })),
);
const AnyCall = fc
  .tuple(Own, fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: Surplus }))
  .map(([call, surplus]) => ({ name: call.name, arguments: { ...surplus, ...call.arguments } }));

/** Of our own tools: what is not in it is surplus. */
const MEMBERS: Record<string, string[]> = {
  write_file: ['file_path', 'content'],
  bash: ['command', 'timeout', 'cwd', 'run_in_background'],
};
const surplusIn = ({ name, arguments: args }: Call) =>
  Object.keys(args).filter((member) => MEMBERS[name] && !MEMBERS[name].includes(member));
const keyOf = (call: Call) => canonicalJson([call.name, call.arguments]);

/** The calls, of one answer or one after the other. The person allows the first question for good, and denies every other one. */
async function run(calls: readonly Call[], isOneAnswer = false) {
  await using folder = await TempWorkspace.create({ 'sub/here.txt': '' });
  const queries: JsonObject[] = [];
  const database: Tool = {
    name: 'mcp_db_query',
    description: '',
    inputSchema: { type: 'object', properties: { sql: { type: 'string' } } },
    execute: async (input) => {
      queries.push(input);
      return toolSuccess('done');
    },
  };
  const mcp: AmplifierModule = { mount: ({ mounts }) => mounts.mount('tools', database) };
  const tool_calls = calls.map((call, at) => ({ id: `c${at}`, ...call }));
  const steps = isOneAnswer ? [{ tool_calls }] : tool_calls.map((each) => ({ tool_calls: [each] }));
  const model = new ScriptedProvider([...steps, { text: 'Done.' }]);
  const asked: ApprovalRequest[] = [];
  await using session = new Session({
    plan: {
      session: { orchestrator: 'loop-streaming', context: 'context-simple' },
      providers: ['provider-scripted'],
      tools: ['tool-filesystem', 'tool-search', 'tool-bash', 'tool-todo', 'tool-web', 'tool-mcp-test'],
      hooks: ['hooks-approval'],
    },
    loader: new ModuleLoader({
      builtins: {
        ...builtinModules,
        'provider-scripted': () => scriptedProviderModule(model),
        'tool-mcp-test': () => mcp,
      },
    }),
    approval: {
      async requestApproval(request) {
        asked.push(request);
        const lasting = request.options.find((option) => /^Allow always: exactly this/.test(option));
        return asked.length === 1 ? (lasting ?? 'none is offered') : 'Deny';
      },
    },
  });
  const { coordinator } = session;
  coordinator.registerCapability('session.working_dir', folder.path);
  const safety = { cwd: folder.path, trusted: true, unconfinedExec: true };
  coordinator.registerCapability('session.grant', grantForSafetyMode('write', safety));
  await session.initialize();
  const seen: JsonObject[] = [];
  coordinator.hooks.register('tool:pre', (_event, data) => {
    seen.push(data);
    return { action: 'continue' };
  });
  await session.execute('go');
  const messages = (await coordinator.mounts.one('context')?.getMessages()) ?? [];
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
  const read = (file: string) => folder.read(file).catch(() => null);
  const files = await Promise.all(['a.txt', 'b.txt', 'run.txt', 'sub/run.txt'].map(read));
  return { asked, seen, results, queries, files };
}

it('a permission that lasts covers the same call with the same input, and lets nothing else pass', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(AnyCall, { minLength: 2, maxLength: 5 }), async (drawn) => {
      // The first comes again at the end, as it was.
      const calls = [...drawn, ...drawn.slice(0, 1)];
      const { asked, results, queries, files } = await run(calls);
      const refused = calls.map(surplusIn);
      const judged = calls.filter((_, at) => refused[at]?.length === 0);
      const [allowed] = judged;
      const expected = judged.filter((call, at) => at === 0 || keyOf(call) !== keyOf(allowed as Call));
      expect(asked.map(({ subject }) => [subject?.tool_name, subject?.tool_input])).toEqual(
        expected.map((call) => [call.name, call.arguments]),
      );
      for (const [at, members] of refused.entries())
        for (const member of members) expect(results[at]).toContain(`'${member}'`);
      const isAllowed = (name: string) => allowed?.name === name;
      const ran = judged.filter((call) => keyOf(call) === keyOf(allowed as Call));
      expect(queries).toEqual(isAllowed('mcp_db_query') ? ran.map((call) => call.arguments) : []);
      const [a, b, here, sub] = files;
      const written = [a, b].filter((text) => text !== null);
      expect(written).toEqual(isAllowed('write_file') ? [allowed?.arguments.content] : []);
      const lines = [here, sub]
        .filter((text) => text !== null)
        .join('')
        .trim();
      const word = String(allowed?.arguments.command).includes('EVIL') ? 'EVIL' : 'good';
      const hasFolder = [undefined, '.', 'sub'].includes(allowed?.arguments.cwd as string | undefined);
      expect(lines).toBe(isAllowed('bash') && hasFolder ? ran.map(() => word).join('\n') : '');
    }),
    { numRuns: 50, seed: 32 },
  );
});

/** A valid input of each tool. */
const VALID: Readonly<Record<string, JsonObject>> = {
  write_file: { file_path: 'a.txt', content: 'EVIL' },
  edit_file: { file_path: 'sub/here.txt', old_string: 'a', new_string: 'EVIL' },
  multi_edit: { file_path: 'sub/here.txt', edits: [{ old_string: 'a', new_string: 'EVIL' }] },
  read_file: { file_path: 'sub/here.txt' },
  list_files: { path: 'sub' },
  grep: { pattern: 'x' },
  glob: { pattern: '*' },
  bash: { command: 'echo EVIL >> run.txt' },
  web_fetch: { url: 'https://host.test/' },
};
/** Members of a tool that its valid input here leaves out. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  bash: ['cwd'],
  grep: ['path'],
  glob: ['path'],
};
const OTHERS = [
  ...SURPLUS,
  'content',
  'pattern',
  'input',
  '__proto__',
  'constructor',
  'toString',
  ' command',
  'Command',
];

it('refuses a surplus member of any tool before a hook or a person sees the call', async () => {
  const Bad = fc
    .tuple(
      fc.constantFrom(...Object.keys(VALID)),
      fc.array(fc.constantFrom(...OTHERS), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
    )
    .map(([name, members, isInner]) => {
      const own = VALID[name] as JsonObject;
      const isNested = isInner && name === 'multi_edit';
      const [edit] = (own.edits ?? []) as JsonObject[];
      const object = isNested ? { ...edit } : { ...own };
      const surplus = members.filter(
        (member) => !Object.hasOwn(object, member) && !TAKEN[name]?.includes(member),
      );
      // As from a text: also `__proto__` is a member.
      for (const member of surplus) Object.defineProperty(object, member, { value: 'x', enumerable: true });
      const text = JSON.stringify(isNested ? { ...own, edits: [object] } : object);
      return { name, surplus: [...new Set(surplus)], arguments: JSON.parse(text) as JsonObject };
    })
    .filter(({ surplus }) => surplus.length > 0);
  const drawn = fc.sample(Bad, { numRuns: 500, seed: 32 });
  for (let at = 0; at < drawn.length; at += 20) {
    const calls = drawn.slice(at, at + 20);
    const { asked, seen, results, files } = await run(calls, true);
    expect({ asked, seen, files: files.filter((text) => text !== null) }).toEqual({
      asked: [],
      seen: [],
      files: [],
    });
    expect(results).toHaveLength(calls.length);
    for (const [index, { surplus }] of calls.entries())
      for (const member of surplus) expect(results[index]).toContain(`${member}'`);
  }
});
