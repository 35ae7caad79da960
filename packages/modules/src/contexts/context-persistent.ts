import { mkdir, open, readFile, rename, truncate } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Coordinator, errorInfo, isoTime, type JsonObject, Message, type Report } from '@amplifier/core';
import { ModuleError } from '../module-error.js';
import { type ContextConfig, readContextConfig, SimpleContext } from './context-simple.js';

/** A context that keeps its own file and finds itself again there. `config.path` names the file. */
export async function mount(coordinator: Coordinator, config: JsonObject): Promise<void> {
  const file = new MessageFile(filePath(coordinator, config));
  const settings = readContextConfig(config, 'context-persistent');
  const messages = await file.load(coordinator.report);
  const context = new PersistentContext(coordinator, settings, file, messages !== null);
  if (messages) await context.restore(messages);
  coordinator.mounts.mount('context', context);
}

class PersistentContext extends SimpleContext {
  #file: MessageFile;
  #loaded: boolean;
  #adding: Promise<void> = Promise.resolve();

  constructor(coordinator: Coordinator, config: ContextConfig, file: MessageFile, loaded: boolean) {
    super(coordinator, config);
    this.#file = file;
    this.#loaded = loaded;
  }

  /** A message is in the file before it is in the history. Both keep the order of the calls, also when calls overlap. */
  override addMessage(message: Message): Promise<void> {
    const added = this.#adding.then(async () => {
      await this.#file.append(message);
      await super.addMessage(message);
    });
    this.#adding = added.catch(() => {});
    return added;
  }

  /** Takes the messages of the file. They are in it already. */
  restore(messages: Message[]): Promise<void> {
    return super.setMessages(messages);
  }

  /** What it loaded itself is the truth; a history from elsewhere would be a second one. */
  override async setMessages(messages: Message[]): Promise<void> {
    if (!this.#loaded) return super.setMessages(messages);
    this.coordinator.report({
      level: 'warning',
      code: 'CONTEXT_KEEPS_ITS_OWN',
      message: `The context keeps the ${(await this.getMessages()).length} messages of ${this.#file.path}; ${messages.length} others were not taken.`,
      module_id: 'context-persistent',
    });
  }

  override async clear(): Promise<void> {
    await this.#file.setAside(isoTime(this.coordinator.clock));
    await super.setMessages([]);
  }
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

/** The configured path, relative to the session's folder; else a file of the session's own below it. */
function filePath(coordinator: Coordinator, { path }: JsonObject): string {
  const folder = coordinator.getCapability('session.working_dir') ?? process.cwd();
  if (typeof path === 'string' && path !== '') return resolve(folder, path);
  const { id } = coordinator.session;
  if (FILE_NAME.test(id)) return join(folder, '.amplifier', 'context', `${id}.jsonl`);
  throw new ModuleError(
    `The session id '${id}' cannot be used as a file name. Set 'path' in the config of context-persistent.`,
    { code: 'CONTEXT_FILE_UNNAMED' },
  );
}

/** Messages in a file, one JSON document per line, each on the disk before `append` resolves. */
class MessageFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * The messages of an earlier run; null when there was none. A last line that was cut off by a crash is removed and
   * reported. Any other line that cannot be read is an error: an incomplete memory must not pass for a whole one.
   */
  async load(report: Report): Promise<Message[] | null> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const end = text.lastIndexOf('\n') + 1;
    if (end < text.length) {
      await truncate(this.path, Buffer.byteLength(text.slice(0, end)));
      const message = `${this.path} ended in the middle of a line; what was left of it is removed.`;
      report({ level: 'warning', code: 'CONTEXT_FILE_TORN', message });
    }
    return text
      .slice(0, end)
      .split('\n')
      .flatMap((line, index) => (line === '' ? [] : [this.#parse(line, index + 1)]));
  }

  async append(message: Message): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = await open(this.path, 'a', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(message)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Begins anew. The old file stays beside the new one, under the time it was left. */
  async setAside(time: string): Promise<void> {
    try {
      await rename(this.path, `${this.path}.${time.replaceAll(':', '-')}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  #parse(line: string, number: number): Message {
    try {
      return Message.parse(JSON.parse(line));
    } catch (cause) {
      throw new ModuleError(
        `${this.path}, line ${number}, is no message: ${errorInfo(cause).message}. Repair the line or move the file away.`,
        { code: 'CONTEXT_FILE_DAMAGED', origin: this.path, cause },
      );
    }
  }
}
