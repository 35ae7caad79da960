import { type DelegationTree, foldEvent, type JsonObject } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { drawTree } from './draw-tree.js';
import { wrap } from './fit.js';
import { control, writeError } from './screen.js';

/** How often the picture is drawn anew: smooth to the eye, nothing to the machine. */
const FRAME_MS = 100;
/** Lines of the answer that are shown while it grows. */
const TAIL_LINES = 6;

export interface Watcher {
  onEvent(name: string, data: Readonly<JsonObject>): void;
  /** Holds still, so that something else can be said. */
  pause(): void;
  resume(): void;
  /** Takes the picture away. What it showed is in the answer. */
  close(): void;
}

type Screen = Pick<NodeJS.WriteStream, 'columns' | 'rows'>;

/**
 * Shows a delegation while it runs: the tree, and below it the end of what the first session is saying. Redraws in place,
 * and leaves nothing behind.
 */
export function liveView(cli: Cli, screen: Screen = process.stderr, now: () => number = Date.now): Watcher {
  const tree: DelegationTree = new Map();
  let spoken = '';
  let drawn = 0;
  let open = true;
  let paused = false;
  const timer = setInterval(draw, FRAME_MS);
  writeError(control('[?25l'));
  return {
    onEvent(name, data) {
      foldEvent(tree, { name, data, time: new Date(now()).toISOString() });
      const { depth } = (data.lineage ?? {}) as { depth?: number };
      if (depth !== 0) return;
      if (name === 'provider:request') spoken = '';
      if (name === 'content_block:delta') spoken += deltaText(data);
    },
    pause() {
      paused = true;
      erase();
    },
    resume() {
      paused = false;
    },
    close() {
      if (!open) return;
      open = false;
      clearInterval(timer);
      erase();
      writeError(control('[?25h'));
    },
  };

  function draw(): void {
    if (paused) return;
    const width = Math.max(20, (screen.columns || cli.width) - 1);
    const height = Math.max(4, (screen.rows || 24) - 2);
    const picture = drawTree(tree, { now: now(), width, color: cli.color });
    const said = spoken.trim().split('\n').slice(-TAIL_LINES).join('\n');
    const tail = said === '' ? [] : wrap(said, width).slice(-TAIL_LINES);
    const lines = [
      ...picture.slice(0, Math.max(1, height - tail.length)),
      ...tail.map((line) => cli.color.dim(line)),
    ];
    erase();
    writeError(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  }

  function erase(): void {
    if (drawn > 0) writeError(`${control(`[${drawn}A`)}${control('[0J')}`);
    drawn = 0;
  }
}

export function deltaText(data: Readonly<JsonObject>): string {
  const { type, text } = (data.delta ?? {}) as { type?: string; text?: string };
  return type === 'text' && typeof text === 'string' ? text : '';
}
