import { batch, computed, signal } from '@preact/signals';
import { readTree } from '../api/calls.js';
import { get } from '../api/http.js';
import type { SessionEvent, TreeAnswer, TreeNode } from '../api/types.js';
import { whoIsThis } from '../api/who.js';
import { foldEvent, type Tree, treeOf } from '../live/fold-tree.js';
import { follow } from '../live/follow.js';
import { type OpenMessage, withDelta, withSnapshot } from '../live/open-messages.js';
import { refreshInbox } from '../now/inbox.js';
import { words } from '../ui/load.js';
import type { Asking } from './approval-card.js';
import { Transcript } from './transcript.js';

export interface Approval extends Asking {
  asked_at: string;
}

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
  readonly open = signal<ReadonlyMap<string, OpenMessage>>(new Map());
  readonly approvals = signal<Approval[]>([]);
  readonly sent = signal<Sent[]>([]);
  readonly truncated = signal(false);
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
  #isShared = false;

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
      this.#isShared = shared_session !== null;
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
      if (!this.#closed.signal.aborted) this.error.value = words(error);
    }
  }

  /** The place in the stream of everything stays short however large the tree is; a shared link has only that of its session. */
  #follow({ cursor, feed_cursor }: TreeAnswer): void {
    this.#stop();
    const id = encodeURIComponent(this.root);
    const [path, from] = this.#isShared
      ? [`/sessions/${id}/events?children=true&deltas=true`, cursor]
      : [`/events?root_id=${id}&deltas=true`, feed_cursor];
    this.#stop = follow(path, from, {
      event: (event) => this.#take(event),
      delta: (delta) => this.#write(delta.message_id, (open) => withDelta(open, delta)),
      snapshot: (snapshot) => this.#write(snapshot.message_id, (open) => withSnapshot(open, snapshot)),
      messageEnd: (end) => void this.#close(end),
      message: ({ session_id }) => {
        if (session_id === this.selected.value) void this.#readOn();
      },
      synced: () => void this.#readOn(),
      reset: () => void this.#begin(),
    });
  }

  #take(event: SessionEvent): void {
    if (!this.tree) return;
    if (foldEvent(this.tree, event) !== 'none') this.changed();
    this.events.value++;
    if (event.session_id === this.selected.value) void this.#readOn();
    if (/^(question|approval):/.test(event.name)) {
      void this.#readApprovals();
      void refreshInbox();
    }
  }

  /** Fetches what was said since. */
  async #readOn(): Promise<void> {
    await this.transcript.value?.refresh();
    if (this.sent.value.length > 0) this.#tidySent();
  }

  #write(message_id: string, act: (open: OpenMessage | undefined) => OpenMessage): void {
    const before = this.open.value.get(message_id);
    const after = act(before);
    if (after === before) return;
    this.open.value = new Map(this.open.value).set(message_id, after);
  }

  /** What is stored is shown from the transcript, without a moment between: it is fetched before the open one goes. */
  async #close({ session_id, message_id }: { session_id: string; message_id: string }): Promise<void> {
    if (session_id === this.selected.value) await this.#readOn();
    if (!this.open.value.has(message_id)) return;
    this.open.value = new Map([...this.open.value].filter(([id]) => id !== message_id));
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
    const path = `/sessions/${encodeURIComponent(this.root)}/approvals?status=pending`;
    const found = await get<Approval[]>(path, this.#closed.signal).catch(() => null);
    if (found) this.approvals.value = found;
  }
}
