import type { ContextManager, Message } from '@amplifier/core';
import type { NewMessage, SessionLog } from '@amplifier/sessions';
import type { SessionMail } from './session-mail.js';

/**
 * The context manager with every added message on disk before it is acted on. Works for any context manager: nothing
 * but `addMessage` changes.
 */
export function loggedContext(
  inner: ContextManager,
  log: SessionLog,
  mail: SessionMail,
  storedPrompt: string | null,
): ContextManager {
  let awaited = storedPrompt;
  const addMessage = async (message: Message) => {
    if (awaited !== null && message.role === 'user' && message.content === awaited) {
      // The prompt of the turn was written before the turn began.
      awaited = null;
    } else {
      const letter = mail.letterOf(message);
      if (letter) await log.deliver(letter, { message: storable(message) });
      else await log.appendMessages([storable(message)]);
    }
    await inner.addMessage(message);
  };
  return new Proxy(inner, {
    get(target, property) {
      if (property === 'addMessage') return addMessage;
      const value = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function storable({ role, content, name, tool_call_id, tool_calls, metadata }: Message): NewMessage {
  return {
    role,
    content,
    ...(name === undefined ? {} : { name }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
