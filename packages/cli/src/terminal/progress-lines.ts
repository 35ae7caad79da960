import type { Cli } from '../cli.js';
import { type DelegationTree, EMPTY_TREE, foldEvent } from './delegation-tree.js';
import type { Watcher } from './live-view.js';

const TOLD = new Set([
  'delegate:agent_spawned',
  'delegate:agent_completed',
  'delegate:agent_cancelled',
  'delegate:error',
  'tool:pre',
]);

/** Says what happens line by line, where a picture that moves cannot be drawn. */
export function progressLines(cli: Cli): Watcher {
  let tree: DelegationTree = EMPTY_TREE;
  return {
    onEvent(name, data) {
      tree = foldEvent(tree, name, data, Date.now());
      if (!TOLD.has(name)) return;
      const node = tree.get(String(data.sub_session_id ?? data.session_id));
      if (node) cli.say(`${node.agent}: ${node.state}${node.doing ? ` ${node.doing}` : ''}`);
    },
    pause() {},
    resume() {},
    close() {},
  };
}
