import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Act } from './stage.js';
import type { Params } from './wire.js';

/**
 * Tells of a sub-agent called `id` that looks at something and says some words: `!subagent form id words`. The form says how:
 * `new` and `draft` are the two forms of the proposal (`draft` fails); `broken` ends with an error; `lost` is told to run and never
 * to have ended; `unsaid` is announced and not heard of again; `late` is announced as Codex does it and works on after the
 * prompt has its answer, when it writes its words into a file.
 */
export const subagent: Act = ({ wire, session, afterwards }, rest) => {
  const [form = '', id = '', ...words] = rest.split(' ');
  const said = words.join(' ');
  const tell = (sessionId: string, body: Params) =>
    wire.notify('session/update', { sessionId, update: body });
  const about = (body: Params) =>
    tell(session.id, { sessionUpdate: 'subagent_update', sessionId: id, ...body });
  const work = () => {
    const sessionUpdate = 'tool_call';
    tell(id, { sessionUpdate, toolCallId: `${id}-1`, title: 'look', kind: 'read', status: 'completed' });
    tell(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } });
  };
  const forms: Record<string, () => void> = {
    new() {
      about({ title: id, state: { state: 'running' } });
      work();
      about({ state: { state: 'idle', stopReason: 'end_turn' } });
      // What comes later says nothing of how it is.
      about({ capabilities: {} });
    },
    draft() {
      const named = { subagentSessionId: id, name: id, task: `Do ${id}`, capabilities: {} };
      tell(session.id, { sessionUpdate: 'subagent_spawned', ...named });
      work();
      tell(session.id, { sessionUpdate: 'subagent_state_update', subagentSessionId: id, state: 'failed' });
    },
    broken() {
      about({ title: id, state: { state: 'running' } });
      work();
      const error = { code: -32603, message: 'Its model is overloaded.' };
      about({ state: { state: 'idle', stopReason: 'error', error } });
    },
    lost() {
      about({ title: id, state: { state: 'running' } });
      work();
    },
    unsaid() {
      about({ title: id });
      work();
    },
    late() {
      about({ description: `Do ${id}`, title: id });
      about({ state: { state: 'running' } });
      about({ capabilities: { cancel: {} } });
      afterwards.push(() => {
        work();
        writeFileSync(resolve(session.cwd, `${id}.txt`), `${said}\n`);
        about({ state: { state: 'idle', stopReason: 'end_turn' } });
      });
    },
  };
  forms[form]?.();
};
