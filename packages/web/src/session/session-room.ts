import { foldEvent } from '@amplifier/core/browser';
import { type ApiEvent, type LiveMessage, LiveMessages, type StreamItem } from '@amplifier/daemon/client';
import { batch, computed, signal } from '@preact/signals';
import { readApprovals, readTree } from '../api/calls.js';
import { errorWords } from '../api/client.js';
import type { Approval, Message, TreeNode } from '../api/types.js';
import { whoIsThis } from '../api/who.js';
import { follow } from '../live/follow.js';
import { type Tree, treeOf } from '../live/tree.js';
import { refreshInbox } from '../now/inbox.js';
import { Transcript } from './transcript.js';

/** Text that was sent and is not in the transcript yet. */
export interface Sent {
  session_id: string;
  text: string;
}

/** Everything the Session and Timeline rooms know of one tree, kept up to date by its stream of events. */
export class SessionRoom {
  root: string;
  /** Replaced in place; `version` rises with every change, once a frame. */
  tree: Tree | null = null;
  readonly version = signal(0);
  readonly error = signal<string | null>(null);
  readonly selected = signal('');
  readonly transcript = signal<Transcript | null>(null);
  /** Messages that are being written. */
  readonly open = signal<readonly LiveMessage[]>([]);
  readonly approvals = signal<Approval[]>([]);
  readonly sent = signal<Sent[]>([]);
  readonly truncated = signal(false);
  /** The composer shows the form of a delegation; the palette can ask for it, too. */
  readonly wantsDelegate = signal(false);
  /** The newest event that was taken in; the timeline looks again when it rises. */
  readonly events = signal(0);
  readonly node = computed<TreeNode | null>(() => {
    this.version.value;
    const found = this.tree?.nodes.get(this.selected.value);
    return found ? { ...found } : null;
  });
  #stop = () => {};
  #frame = 0;
  readonly #closed = new AbortController();
  readonly #live = new LiveMessages();

  /** The room of the tree that a session belongs to; of the part of it that a shared link shows. */
  constructor(session_id: string) {
    this.root = session_id;
  }

  async start(session_id: string, at: string | null): Promise<void> {
    this.select(session_id, at);
    await this.#begin();
  }

  close(): void {
    this.#closed.abort();
    this.#stop();
    this.transcript.value?.close();
    cancelAnimationFrame(this.#frame);
  }

  select(session_id: string, at: string | null = null): void {
    const known = this.transcript.value;
    if (known?.session_id === session_id) {
      if (at !== null) void known.find(at);
      return;
    }
    known?.close();
    const transcript = new Transcript(session_id);
    batch(() => {
      this.selected.value = session_id;
      this.transcript.value = transcript;
    });
    void (at === null ? transcript.load() : transcript.find(at));
  }

  /** Shown at once; gone when the transcript has it, or when it was refused. */
  note(text: string): () => void {
    const sent = { session_id: this.selected.value, text };
    this.sent.value = [...this.sent.value, sent];
    return () => {
      this.sent.value = this.sent.value.filter((each) => each !== sent);
    };
  }

  changed(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.version.value++;
    });
  }

  async #begin(): Promise<void> {
    try {
      const { signal } = this.#closed;
      const [{ shared_session }, first] = await Promise.all([whoIsThis(), readTree(this.root, signal)]);
      let answer = first;
      const top = shared_session ?? answer.root_id;
      if (top !== this.root) {
        this.root = top;
        answer = await readTree(top, signal);
      }
      const { root, truncated } = answer;
      if (signal.aborted) return;
      this.tree = treeOf(root);
      this.truncated.value = truncated;
      this.error.value = null;
      this.version.value++;
      this.#follow(answer);
      void this.#readApprovals();
    } catch (error) {
      if (!this.#closed.signal.aborted) this.error.value = errorWords(error);
    }
  }

  #follow({ cursor }: { cursor: string }): void {
    this.#stop();
    const options = { session_id: this.root, children: true, messages: true, after: cursor };
    this.#stop = follow(options, {
      take: (item) => this.#take(item),
      synced: () => void this.#synced(),
      reset: () => void this.#begin(),
    });
  }

  async #take(item: StreamItem): Promise<void> {
    if (item.kind === 'event') return this.#takeEvent(item);
    const isSelected = 'session_id' in item && item.session_id === this.selected.value;
    if (item.kind === 'message' && isSelected) await this.#takeMessage(item.message as Message | undefined);
    // The stored message is shown before the open one goes.
    if (item.kind === 'message_end' && isSelected && this.#isOpen(item)) await this.#readOn();
    if (this.#live.take(item)) this.open.value = this.#live.all();
  }

  #takeEvent(event: ApiEvent): void {
    if (!this.tree) return;
    if (this.#isOurs(event) && foldEvent(this.tree.nodes, event)) this.changed();
    this.events.value++;
    if (/^(question|approval):/.test(event.name)) {
      void this.#readApprovals();
      void refreshInbox();
    }
  }

  #isOpen({ session_id, message_id }: { session_id: string; message_id: string }): boolean {
    return this.#live.get(session_id)?.message_id === message_id;
  }

  async #takeMessage(message: Message | undefined): Promise<void> {
    if (message) await this.transcript.value?.take(message);
    if (this.sent.value.length > 0) this.#tidySent();
  }

  /** A session that the picture left out stays out, and so does everything below it. */
  #isOurs({ session_id, parent_id, name }: ApiEvent): boolean {
    const { nodes } = this.tree as Tree;
    return nodes.has(session_id) || (name === 'session:created' && nodes.has(parent_id ?? ''));
  }

  /** Text that was written when the connection broke stays until the transcript has it. */
  async #synced(): Promise<void> {
    this.#live.take({ kind: 'disconnected' });
    await this.#readOn();
    this.open.value = this.#live.all();
  }

  /** Fetches what was said since. */
  async #readOn(): Promise<void> {
    await this.transcript.value?.refresh();
    if (this.sent.value.length > 0) this.#tidySent();
  }

  #tidySent(): void {
    const said = this.transcript.value?.messages.value ?? [];
    const recent = said.slice(-20).filter(({ role }) => role === 'user');
    const isSaid = ({ session_id, text }: Sent) =>
      session_id === this.selected.value &&
      recent.some(({ content }) => JSON.stringify(content).includes(JSON.stringify(text).slice(1, -1)));
    const left = this.sent.value.filter((sent) => !isSaid(sent));
    if (left.length !== this.sent.value.length) this.sent.value = left;
  }

  async #readApprovals(): Promise<void> {
    const found = await readApprovals(this.root, this.#closed.signal).catch(() => null);
    if (found) this.approvals.value = found;
  }
}
