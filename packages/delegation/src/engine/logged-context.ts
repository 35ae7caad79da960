import type { ContextManager, Message } from '@amplifier/core';
import type { NewMessage } from '@amplifier/sessions';
import type { Turn } from './engine.js';
import type { SessionMail } from './session-mail.js';
import type { TurnJournal } from './turn-journal.js';

/**
 * The context manager with every added message on disk before it is acted on. Works for any context manager: nothing
 * but `addMessage` changes.
 */
export function loggedContext(
  inner: ContextManager,
  { log, prompt }: Pick<Turn, 'log' | 'prompt'>,
  journal: TurnJournal,
  mail: SessionMail,
  /** Does a call of this name begin with a write of its own? */
  beginsWithWrite: (tool: string) => boolean,
): ContextManager {
  let awaited: string | null = prompt;
  const addMessage = async (message: Message) => {
    if (awaited !== null && message.role === 'user' && message.content === awaited) {
      // The prompt of the turn was written before the turn began.
      awaited = null;
    } else {
      const letter = mail.letterOf(message);
      if (letter) await log.deliver(letter, { message: storable(message) });
      else await journal.say(storable(message));
      if (actsOutside(message, beginsWithWrite)) await journal.settle();
    }
    await inner.addMessage(message);
  };
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(inner, {
    get(target, property) {
      if (property === 'addMessage') return addMessage;
      const known = bound.get(property);
      if (known) return known;
      const value = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target);
      bound.set(property, method);
      return method;
    },
  });
}

/**
 * Will something outside of the record follow from this message before the next model call? A tool that begins with a write of
 * its own may begin: that write guarantees the message, which comes before it.
 */
function actsOutside(
  { role, content, tool_calls }: Message,
  beginsWithWrite: (tool: string) => boolean,
): boolean {
  if (role !== 'assistant') return false;
  if (tool_calls?.some(({ tool }) => !beginsWithWrite(tool))) return true;
  const blocks = Array.isArray(content) ? content : [];
  return blocks.some((block) => block.type === 'tool_call' && !beginsWithWrite(block.name));
}

function storable({ role, content, name, tool_call_id, tool_calls, metadata }: Message): NewMessage {
  const message: NewMessage = { role, content };
  if (name !== undefined) message.name = name;
  if (tool_call_id !== undefined) message.tool_call_id = tool_call_id;
  if (tool_calls !== undefined) message.tool_calls = tool_calls;
  if (metadata !== undefined) message.metadata = metadata;
  return message;
}
