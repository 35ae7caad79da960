import type { JsonObject } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { type DelegationTree, EMPTY_TREE, foldEvent } from '../terminal/delegation-tree.js';
import { deltaText } from '../terminal/live-view.js';

export interface TurnStream {
  onEvent(name: string, data: Readonly<JsonObject>): void;
  readonly tree: DelegationTree;
  /** What the session itself has said since its last step. */
  readonly spoken: string;
  /** Ends the line that was begun. */
  end(): void;
}

const TOLD = new Set([
  'delegate:agent_spawned',
  'delegate:agent_completed',
  'delegate:agent_cancelled',
  'delegate:error',
  'tool:pre',
]);

/** Writes a turn as it happens: the session's own words as they come, what its agents do as single lines. */
export function streamTurn(cli: Cli, write: (text: string) => void): TurnStream {
  let tree: DelegationTree = EMPTY_TREE;
  let spoken = '';
  let midLine = false;
  return {
    get tree() {
      return tree;
    },
    get spoken() {
      return spoken;
    },
    onEvent(name, data) {
      tree = foldEvent(tree, name, data, Date.now());
      const { depth } = (data.lineage ?? {}) as { depth?: number };
      if (depth === 0 && name === 'provider:request') spoken = '';
      if (depth === 0 && name === 'content_block:delta') say(deltaText(data));
      if (TOLD.has(name)) tell(String(data.sub_session_id ?? data.session_id));
    },
    end() {
      if (midLine) write('\n');
      midLine = false;
    },
  };

  function say(text: string): void {
    if (text === '') return;
    spoken += text;
    write(text);
    midLine = !text.endsWith('\n');
  }

  function tell(session_id: string): void {
    const node = tree.get(session_id);
    if (!node) return;
    write(
      `${midLine ? '\n' : ''}${cli.color.dim(`  ${node.agent}: ${node.state}${node.doing ? ` ${node.doing}` : ''}`)}\n`,
    );
    midLine = false;
  }
}
