import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SafetyMode } from '@amplifier/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_POINTS, type EntryPoint, type Kind, Scene, WIDER } from './entry-points.js';

/**
 * What becomes of an agent that tries to change a file of the folder:
 * - `changes`: the file is changed, `asks` where a person is asked before (and says yes here).
 * - `a patch`: it is not; the change is handed back.
 * - `reads`: it is not, and nothing is handed back.
 * - `refused`: nothing ran.
 */
type Fate = 'changes' | 'asks' | 'a patch' | 'reads' | 'refused';

/** In a folder that is trusted, and in one that nobody trusts. */
type Pair = readonly [trusted: Fate, untrusted: Fate];

const TRUST = ['trusted', 'not trusted'] as const;
const ALWAYS = { read_only: ['reads', 'reads'], propose: ['a patch', 'a patch'] } as const;
const NEEDS_TRUST = {
  ...ALWAYS,
  write: ['changes', 'refused'],
  yolo: ['changes', 'refused'],
} as const;
/** Whoever typed it is here, and said so. */
const AS_TYPED = { ...ALWAYS, write: ['changes', 'changes'], yolo: ['changes', 'changes'] } as const;

/** What a model hands on in a folder that nobody trusts is only looked at, whatever its session may do there. */
const HANDED_ON = { ...ALWAYS, write: ['changes', 'reads'], yolo: ['changes', 'reads'] } as const;

/** The rule, whole: entry point × kind of agent × safety mode × trust. */
const RULE: Record<string, Partial<Record<Kind, Record<SafetyMode, Pair>>>> = {
  'amplifier run': { markdown: AS_TYPED, external: NEEDS_TRUST, delegated: HANDED_ON },
  'amplifier delegate': { markdown: AS_TYPED, external: NEEDS_TRUST },
  REST: { markdown: NEEDS_TRUST, external: NEEDS_TRUST, delegated: NEEDS_TRUST },
  '/mcp of the daemon': { markdown: NEEDS_TRUST, external: NEEDS_TRUST, delegated: NEEDS_TRUST },
  'MCP over stdio': { markdown: NEEDS_TRUST, external: NEEDS_TRUST, delegated: NEEDS_TRUST },
  ACP: {
    markdown: { ...ALWAYS, write: ['asks', 'asks'], yolo: ['changes', 'refused'] },
    delegated: { ...ALWAYS, write: ['asks', 'reads'], yolo: ['changes', 'refused'] },
  },
  library: {
    // The program says whether the folder is trusted; without that a session only reads.
    markdown: { ...ALWAYS, write: ['changes', 'reads'], yolo: ['changes', 'reads'] },
    external: NEEDS_TRUST,
    delegated: HANDED_ON,
  },
};

const PAGE = fileURLToPath(new URL('../../docs/acp.md', import.meta.url));
const MARK = '<!-- trust -->';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

it('stands in docs/acp.md (UPDATE_DOCS=1 writes it anew)', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [before, , after] = page.split(MARK);
  const now = `${before}${MARK}\n${table()}\n${MARK}${after}`;
  if (process.env.UPDATE_DOCS) await writeFile(PAGE, now);
  expect(process.env.UPDATE_DOCS ? now : page).toBe(now);
});

describe.each(SafetyMode.options)('in %s', (mode) => {
  const rows = ENTRY_POINTS.flatMap((entry) =>
    entry.kinds.flatMap((kind) =>
      // Trust makes no difference to the modes that change nothing of the folder: they are tried where nobody trusts it.
      (mode in ALWAYS ? [false] : [true, false]).map((trusted) => ({
        entry,
        name: entry.name,
        kind,
        trusted,
      })),
    ),
  );
  it.each(rows)('$name, $kind agent, trusted: $trusted', async ({ entry, name, kind, trusted }) => {
    expect(await fateOf(entry, kind, mode, trusted)).toBe(RULE[name]?.[kind]?.[mode][trusted ? 0 : 1]);
  });
});

describe('a person who is asked and says no is obeyed', () => {
  const asking = ENTRY_POINTS.flatMap((entry) =>
    entry.kinds.flatMap((kind) =>
      SafetyMode.options.flatMap((mode) =>
        TRUST.flatMap((trust, at) =>
          RULE[entry.name]?.[kind]?.[mode][at] === 'asks'
            ? [{ entry, name: entry.name, kind, mode, trust }]
            : [],
        ),
      ),
    ),
  );
  it.each(asking)('$name, $kind agent, $mode, $trust', async ({ entry, kind, mode, trust }) => {
    const editor = await scene.editor();
    editor.answer = 'reject_once';
    try {
      const folder = trust === 'trusted' ? scene.trusted : scene.unknown;
      const order = { folder: folder.path, trusted: trust === 'trusted', kind, mode };
      await rm(folder.resolve('made.txt'), { force: true });
      expect(await entry.ask(scene, order)).toMatchObject({ asked: true });
      expect(existsSync(folder.resolve('made.txt'))).toBe(false);
    } finally {
      editor.answer = 'allow_once';
    }
  });
});

it.each(WIDER)('nobody is given more than the session or the server above has: %s', async (_name, ask) => {
  expect(await ask(scene)).toContain('SAFETY_MODE_WIDER');
  expect(existsSync(scene.trusted.resolve('wider.txt'))).toBe(false);
});

async function fateOf(entry: EntryPoint, kind: Kind, mode: SafetyMode, trusted: boolean): Promise<Fate> {
  const folder = trusted ? scene.trusted : scene.unknown;
  const file = folder.resolve('made.txt');
  await rm(file, { force: true });
  const { said, asked } = await entry.ask(scene, { folder: folder.path, trusted, kind, mode });
  if (existsSync(file)) return asked ? 'asks' : 'changes';
  if (/WORKSPACE_NOT_TRUSTED/.test(said)) return 'refused';
  expect(said).toContain('Over.');
  return /diff --git|Proposed changes/.test(said) ? 'a patch' : 'reads';
}

function table(): string {
  const columns = SafetyMode.options.flatMap((mode) =>
    mode in ALWAYS
      ? [{ mode, name: mode, at: 0 }]
      : TRUST.map((trust, at) => ({ mode, name: `${mode}, ${trust}`, at })),
  );
  const rows = ENTRY_POINTS.flatMap(({ name, kinds }) =>
    kinds.map((kind) => [
      name,
      kind,
      ...columns.map(({ mode, at }) => String(RULE[name]?.[kind]?.[mode][at])),
    ]),
  );
  const head = ['entry point', 'agent', ...columns.map(({ name }) => name)];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
