import type { Message } from '../messages.js';
import type { Provider } from './provider.js';

export interface RequestView {
  /** Tokens the request may use. Without it the manager derives one from the provider's model. */
  token_budget?: number | undefined;
  provider?: Provider | undefined;
  model?: string | undefined;
}

/**
 * The memory of a session. Compaction must not destroy: it changes what `getMessagesForRequest` returns, never what is
 * stored, and never parts a tool call from its result.
 */
export interface ContextManager {
  addMessage(message: Message): Promise<void>;
  /** What to send now: the system prompt and as much of the history as fits. */
  getMessagesForRequest(view?: RequestView): Promise<Message[]>;
  /** The whole stored history, without the system prompt of the factory. */
  getMessages(): Promise<Message[]>;
  setMessages(messages: Message[]): Promise<void>;
  clear(): Promise<void>;
  /** The prompt is asked for anew on each request and is not part of the history. */
  setSystemPromptFactory?(factory: () => Promise<string>): void;
}
