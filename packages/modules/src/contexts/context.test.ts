import { appendFile, mkdir, readdir, rmdir } from 'node:fs/promises';
import {
  type ContextManager,
  Coordinator,
  type JsonObject,
  type Message,
  type MountPlan,
  messageTokens,
  pairToolCalls,
  textOf,
  toolCallsOf,
} from '@amplifier/core';
import { ScriptedProvider, TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactView, type ViewState, WHOLE_VIEW } from './compact-view.js';
import * as contextPersistent from './context-persistent.js';
import { budgetOf, SimpleContext } from './context-simple.js';

const PLAN: MountPlan = { session: { orchestrator: 'x', context: 'y' } };

function coordinator(id = 's1'): Coordinator {
  return new Coordinator({ session: { id, parent_id: null }, plan: PLAN });
}

function user(content: string): Message {
  return { role: 'user', content };
}

/** An assistant's calls with their results, each of `size` characters. */
function step(id: string, size: number, calls = 1): Message[] {
  const ids = Array.from({ length: calls }, (_, at) => `${id}-${at}`);
  return [
    {
      role: 'assistant',
      content: `step ${id}`,
      tool_calls: ids.map((call) => ({ id: call, tool: 'read', arguments: {} })),
    },
    ...ids.map(
      (call): Message => ({ role: 'tool', tool_call_id: call, name: 'read', content: 'x'.repeat(size) }),
    ),
  ];
}

async function filled(context: ContextManager, messages: Message[]): Promise<void> {
  for (const message of messages) await context.addMessage(message);
}

describe('what is sent', () => {
  it('begins with the system prompt of the moment and ends with the live children of the moment', async () => {
    const home = coordinator();
    const context = new SimpleContext(home);
    let asked = 0;
    context.setSystemPromptFactory(async () => `prompt ${++asked}`);
    let children: string | null = 'Child A runs.';
    home.registerCapability('session.live_children', async () => children);
    await context.addMessage(user('Hi'));
    const first = await context.getMessagesForRequest();
    expect(first.map((message) => message.content)).toEqual(['prompt 1', 'Hi', 'Child A runs.']);
    children = null;
    const second = await context.getMessagesForRequest();
    expect(second.map((message) => message.content)).toEqual(['prompt 2', 'Hi']);
    expect(await context.getMessages()).toEqual([user('Hi')]);
  });

  it('leaves room in the window for the answer and a reserve', () => {
    expect(budgetOf({ context_window: 100_000, max_output_tokens: 8_000 })).toBe(91_000);
    expect(budgetOf({ context_window: 100_000, max_output_tokens: 100_000 })).toBe(25_000);
  });

  it('stays below the limit of the config, however large the window is', async () => {
    const context = new SimpleContext(coordinator(), { max_tokens: 2_000 });
    await filled(context, [
      user('Task'),
      ...Array.from({ length: 20 }, (_, n) => step(`${n}`, 2_000)).flat(),
    ]);
    const sent = await context.getMessagesForRequest({ token_budget: 1_000_000 });
    expect(sent.reduce((sum, message) => sum + messageTokens(message), 0)).toBeLessThanOrEqual(2_000);
  });

  it('fits the window of the model it goes to, tools and prompt included, and still knows the children', async () => {
    const home = coordinator();
    home.registerCapability('session.live_children', async () => 'Child A runs.');
    home.mounts.mount('tools', {
      name: 'read',
      description: 'd'.repeat(8_000),
      inputSchema: {},
      execute: async () => ({ success: true }),
    });
    const context = new SimpleContext(home);
    context.setSystemPromptFactory(async () => 'p'.repeat(4_000));
    const provider = new ScriptedProvider([], {
      models: [{ id: 'scripted-1', context_window: 16_000, max_output_tokens: 2_000 }],
    });
    await filled(context, [
      user('The task'),
      ...Array.from({ length: 40 }, (_, n) => step(`${n}`, 4_000)).flat(),
    ]);
    const sent = await context.getMessagesForRequest({ provider });
    const tokens = sent.reduce((sum, message) => sum + messageTokens(message), 0);
    expect(tokens).toBeLessThan(13_000 - 2_000);
    expect(sent.some((message) => message.content === 'The task')).toBe(true);
    expect(sent.at(-1)?.content).toBe('Child A runs.');
    expect(await context.getMessages()).toHaveLength(81);
  });
});

describe('compaction', () => {
  it('is a view: the history stays whole, and a larger window sees all of it again after a reset', async () => {
    const context = new SimpleContext(coordinator());
    const messages = [user('Task'), ...Array.from({ length: 30 }, (_, n) => step(`${n}`, 2_000)).flat()];
    await filled(context, messages);
    const small = await context.getMessagesForRequest({ token_budget: 4_000 });
    expect(small.length).toBeLessThan(messages.length);
    expect(await context.getMessages()).toEqual(messages);
    await context.setMessages(messages);
    expect(await context.getMessagesForRequest({ token_budget: 1_000_000 })).toEqual(messages);
  });

  it('is rare: the view stays the same, word for word, until the room is used up again', () => {
    let state: ViewState = WHOLE_VIEW;
    const messages = [user('Task')];
    let changes = 0;
    let previous: Message[] = [];
    for (let n = 0; n < 200; n++) {
      messages.push(...step(`${n}`, 1_000));
      const view = compactView(pairToolCalls(messages), 10_000, state);
      if (!previous.every((message, at) => view.messages[at]?.content === message.content)) changes++;
      ({ state } = view);
      previous = view.messages;
      expect(view.tokens).toBeLessThanOrEqual(10_000);
    }
    expect(changes).toBeLessThan(20);
  });

  it('says how much it left out, and tells listeners', async () => {
    const home = coordinator();
    const events: JsonObject[] = [];
    home.hooks.observe((event, data) => event === 'context:compaction' && events.push(data));
    const context = new SimpleContext(home);
    await filled(context, [user('Task'), ...Array.from({ length: 60 }, (_, n) => step(`${n}`, 400)).flat()]);
    const sent = await context.getMessagesForRequest({ token_budget: 2_000 });
    expect(sent.map((message) => textOf(message.content)).join()).toMatch(
      /\d+ earlier messages are left out/,
    );
    expect(events[0]).toMatchObject({ drop_before: expect.any(Number) });
  });

  it('makes even a single huge message fit', () => {
    const groups = pairToolCalls([user('Task'), ...step('a', 500_000), user('z'.repeat(100_000))]);
    expect(compactView(groups, 3_000, WHOLE_VIEW).tokens).toBeLessThanOrEqual(3_000);
  });
});

describe('tool calls and results', () => {
  it('are brought together, completed and stripped of strays, whatever the history looks like', () => {
    const role = fc.constantFrom('user', 'assistant', 'calls', 'tool', 'system');
    const id = fc.constantFrom('a', 'b', 'c');
    const entry = fc.record({ role, ids: fc.uniqueArray(id, { minLength: 1 }), id, size: fc.nat(3_000) });
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 40 }),
        fc.integer({ min: 300, max: 5_000 }),
        (entries, budget) => {
          const messages = entries.map(({ role: kind, ids, id: one, size }): Message => {
            const content = 'y'.repeat(size);
            if (kind === 'tool') return { role: 'tool', tool_call_id: one, content };
            if (kind !== 'calls') return { role: kind as 'user', content };
            return {
              role: 'assistant',
              content,
              tool_calls: ids.map((call) => ({ id: call, tool: 't', arguments: {} })),
            };
          });
          const groups = pairToolCalls(messages);
          expectPaired(groups.flat());
          expectPaired(compactView(groups, budget, WHOLE_VIEW).messages);
          const kept = groups.flat().filter((message) => message.role !== 'tool');
          expect(kept).toEqual(messages.filter((message) => message.role !== 'tool'));
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Every call is followed at once by exactly its results, in order; no result stands anywhere else. */
function expectPaired(messages: readonly Message[]): void {
  for (let at = 0; at < messages.length; ) {
    const message = messages[at++] as Message;
    expect(message.role).not.toBe('tool');
    for (const { id } of toolCallsOf(message)) {
      expect(messages[at++]).toMatchObject({ role: 'tool', tool_call_id: id });
    }
  }
}

describe('context-persistent', () => {
  async function mounted(folder: TempWorkspace, config: JsonObject = { path: 'memory.jsonl' }, id = 's1') {
    const home = coordinator(id);
    home.registerCapability('session.working_dir', folder.path);
    await contextPersistent.mount(home, config);
    return { home, context: home.mounts.one('context') as ContextManager };
  }

  it('finds its messages again, and does not let others take their place', async () => {
    await using folder = await TempWorkspace.create();
    const { context } = await mounted(folder);
    await filled(context, [user('one'), user('two')]);
    const again = await mounted(folder);
    expect(await again.context.getMessages()).toEqual([user('one'), user('two')]);
    await again.context.setMessages([user('other')]);
    expect(await again.context.getMessages()).toHaveLength(2);
    expect(again.home.diagnostics[0]?.code).toBe('CONTEXT_KEEPS_ITS_OWN');
  });

  it('keeps the order of calls that overlap, and leaves out a message that could not be stored', async () => {
    await using folder = await TempWorkspace.create();
    const { context } = await mounted(folder);
    await mkdir(folder.resolve('memory.jsonl'));
    await expect(context.addMessage(user('lost'))).rejects.toMatchObject({ code: 'EISDIR' });
    await rmdir(folder.resolve('memory.jsonl'));
    const adding = [context.addMessage(user('one')), context.addMessage(user('two'))];
    expect(await context.getMessages()).toEqual([]);
    await Promise.all(adding);
    expect(await context.getMessages()).toEqual([user('one'), user('two')]);
    expect(await (await mounted(folder)).context.getMessages()).toEqual([user('one'), user('two')]);
  });

  it('cuts a line that a crash left unfinished, and refuses a file that is damaged elsewhere', async () => {
    await using folder = await TempWorkspace.create();
    const { context } = await mounted(folder);
    await context.addMessage(user('one'));
    await appendFile(folder.resolve('memory.jsonl'), '{"role":"user","con');
    const again = await mounted(folder);
    expect(again.home.diagnostics[0]?.code).toBe('CONTEXT_FILE_TORN');
    await again.context.addMessage(user('two'));
    expect(await (await mounted(folder)).context.getMessages()).toEqual([user('one'), user('two')]);
    await folder.write('memory.jsonl', 'not json\n{"role":"user","content":"two"}\n');
    await expect(mounted(folder)).rejects.toMatchObject({
      code: 'CONTEXT_FILE_DAMAGED',
      message: expect.stringContaining('line 1'),
    });
  });

  it('keeps the old file when it is cleared, and refuses a session id that is no file name', async () => {
    await using folder = await TempWorkspace.create();
    const { context } = await mounted(folder);
    await context.addMessage(user('one'));
    await context.clear();
    await context.addMessage(user('two'));
    expect(await (await mounted(folder)).context.getMessages()).toEqual([user('two')]);
    expect(await readdir(folder.path)).toHaveLength(2);
    await expect(mounted(folder, {}, '../../etc/passwd')).rejects.toMatchObject({
      code: 'CONTEXT_FILE_UNNAMED',
    });
  });
});
