import type { ContextManager, Message, RequestView } from '@amplifier/core';
import type { NewMessage } from '@amplifier/sessions';
import { instructionContent } from '../request/instruction.js';
import type { Turn } from '../turn/turn.js';
import type { SessionMail } from './session-mail.js';
import type { TurnJournal } from './turn-journal.js';

/**
 * A context manager with every added message in the record before it is acted on. Works for any: nothing but `addMessage` changes.
 * What is added before the turn begins is the module's own business.
 */
export class LoggedContext implements ContextManager {
  readonly #inner: ContextManager;
  readonly #turn: Turn;
  readonly #journal: TurnJournal;
  readonly #mail: SessionMail;
  /** Does a call of this name begin with a write of its own? */
  readonly #beginsWithWrite: (tool: string) => boolean;
  readonly setSystemPromptFactory?: NonNullable<ContextManager['setSystemPromptFactory']>;
  #hasBegun = false;
  /** The instruction of the turn was written before the turn began. */
  #isInstructed = false;

  constructor(
    inner: ContextManager,
    turn: Turn,
    journal: TurnJournal,
    mail: SessionMail,
    beginsWithWrite: (tool: string) => boolean,
  ) {
    this.#inner = inner;
    this.#turn = turn;
    this.#journal = journal;
    this.#mail = mail;
    this.#beginsWithWrite = beginsWithWrite;
    if (inner.setSystemPromptFactory) this.setSystemPromptFactory = inner.setSystemPromptFactory.bind(inner);
  }

  /** The turn begins: from now on messages are kept. */
  begin(): void {
    this.#hasBegun = true;
  }

  addMessage(message: Message): Promise<void> {
    if (!this.#hasBegun) return this.#inner.addMessage(message);
    const { instruction, attached } = this.#turn;
    if (!this.#isInstructed && message.role === 'user' && message.content === instruction) {
      this.#isInstructed = true;
      // The loop says the words; what goes along with them is in the record.
      return this.#inner.addMessage({ ...message, content: instructionContent(instruction, attached) });
    }
    const written = this.#write(message);
    return written ? written.then(() => this.#inner.addMessage(message)) : this.#inner.addMessage(message);
  }

  /** A promise only if the message has to be waited for before it is acted on. */
  #write(message: Message): Promise<unknown> | undefined {
    const item = this.#mail.mailOf(message);
    if (item) return this.#turn.log.deliver(item, { message: storable(message) }, { durability: 'process' });
    this.#journal.say(storable(message));
    return actsOutside(message, this.#beginsWithWrite) ? this.#journal.settle() : undefined;
  }

  getMessagesForRequest(view?: RequestView): Promise<Message[]> {
    return this.#inner.getMessagesForRequest(view);
  }

  getMessages(): Promise<Message[]> {
    return this.#inner.getMessages();
  }

  setMessages(messages: Message[]): Promise<void> {
    return this.#inner.setMessages(messages);
  }

  clear(): Promise<void> {
    return this.#inner.clear();
  }
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
