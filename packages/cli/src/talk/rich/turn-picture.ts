import { type DelegationTree, foldEvent, type JsonObject, shownText, type TreeNode } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { doingWords, drawTree, hasEnded } from '../../terminal/draw-tree.js';
import { deltaText } from '../../terminal/live-view.js';
import { fallbackWords } from '../../terminal/say-fallback.js';
import { screenText } from '../../terminal/screen.js';
import { MarkdownStream } from './markdown-stream.js';
import type { Theme } from './theme.js';

/** A running turn as lines: the session's words as they come, its tools, and its children as a tree that folds as they end. */
export class TurnPicture {
  readonly #cli: Cli;
  readonly #markdown: MarkdownStream;
  readonly #tree: DelegationTree = new Map();
  /** What is final and not shown yet, in the order in which it happened. */
  #settled: ((width: number) => string[])[] = [];
  readonly #folded = new Set<string>();
  spoken = '';
  model: string | null = null;
  sent = 0;

  constructor(cli: Cli, theme: Theme) {
    this.#cli = cli;
    this.#markdown = new MarkdownStream(theme.markdown);
  }

  onEvent(name: string, data: Readonly<JsonObject>, now: number): void {
    foldEvent(this.#tree, { name, data, time: new Date(now).toISOString() });
    this.#fold(now);
    const { depth } = (data.lineage ?? {}) as { depth?: number };
    if (name === 'provider:fallback') this.#tell(fallbackWords(data));
    if (depth !== 0) return;
    if (name === 'provider:request') {
      this.spoken = '';
      if (typeof data.model === 'string') this.model = data.model;
    }
    if (name === 'llm:response') {
      const { input_tokens = 0 } = (data.usage ?? {}) as { input_tokens?: number };
      this.sent = input_tokens;
      // The answer is whole: what comes next, such as a question, stands below it.
      this.#settled.push(this.#markdown.cut());
    }
    if (name === 'content_block:delta') {
      const text = deltaText(data);
      this.spoken += text;
      this.#markdown.push(shownText(text));
    }
    if (name === 'tool:pre' && data.tool_name !== 'delegate' && data.tool_name !== 'task') {
      const node = this.root;
      if (node) this.#tell(`▸ ${doingWords(node, null)}`);
    }
  }

  get root(): TreeNode | null {
    return (
      [...this.#tree.values()].find(({ parent_id }) => parent_id === null || !this.#tree.has(parent_id)) ??
      null
    );
  }

  /** Of this turn, all sessions together. */
  get spent(): { tokens: number; cost: number | null } {
    const nodes = [...this.#tree.values()];
    const priced = nodes.filter(({ cost_usd }) => cost_usd !== null);
    return {
      tokens: nodes.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: priced.length === 0 ? null : priced.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0),
    };
  }

  /** What is final since the last call, and what moves. */
  take(width: number, room: number, now: number): { final: string[]; live: string[] } {
    const tree = this.#openTree(now, width);
    const settled = this.#settled.splice(0).flatMap((lines) => lines(width));
    const { final, live } = this.#markdown.take(width, Math.max(3, room - tree.length));
    return { final: [...settled, ...final], live: [...live, ...tree] };
  }

  /** Something was shown in the middle of it, such as an answer to a question. */
  separate(): void {
    this.#markdown.separate();
  }

  end(width: number, now: number): string[] {
    const { final } = this.take(width, 1000, now);
    return [...final, ...this.#markdown.end(width)];
  }

  #tell(text: string): void {
    const line = screenText(this.#cli.color.dim(`  ${text.replace(/\s+/g, ' ').slice(0, 200)}`));
    this.#settle(() => [line]);
  }

  /** It comes after the words before it, and before those after it, however many of them one frame shows. */
  #settle(lines: (width: number) => string[]): void {
    this.#settled.push(this.#markdown.cut(), lines);
  }

  /** Children that work, below those they work for. */
  #openTree(now: number, width: number): string[] {
    const open = new Map([...this.#tree].filter(([, node]) => !hasEnded(node)));
    if (open.size < 2) return [];
    return drawTree(open, { now, width: width - 1, color: this.#cli.color }).map(screenText);
  }

  /** One line for each child that has ended since. */
  #fold(now: number): void {
    const { root } = this;
    for (const node of this.#tree.values()) {
      if (node === root || !hasEnded(node) || this.#folded.has(node.session_id)) continue;
      this.#folded.add(node.session_id);
      const alone = new Map([[node.session_id, { ...node }]]);
      this.#settle((width) =>
        drawTree(alone, { now, width: width - 3, color: this.#cli.color }).map(
          (line) => `  ${screenText(line)}`,
        ),
      );
    }
  }
}
