import { useMemo } from 'preact/hooks';
import type { TreeNode } from '../api/types.js';
import { stateOf } from '../live/state-of.js';
import type { Tree } from '../live/tree.js';
import { sessionPath } from '../route/route.js';
import { money, plain, tokens } from '../ui/format.js';
import { flameBoxes } from './flame.js';

const ROW = 28;

/** Who took most: each session as wide as what it and everything below it took. */
export function Flame({ tree, by }: { tree: Tree; by: 'cost' | 'tokens' }) {
  const root = tree.nodes.get(tree.root);
  const own =
    by === 'tokens' ? (node: TreeNode) => node.tokens : (node: TreeNode) => Number(node.cost_usd ?? 0);
  const boxes = useMemo(() => (root ? flameBoxes(root, own) : []), [root, by, tree.nodes.size]);
  const unknown = [...tree.nodes.values()].filter(({ cost_usd }) => cost_usd === null).length;
  const show = (value: number) => (by === 'tokens' ? `${tokens(value)} tokens` : money(value));
  const deep = boxes.reduce((most, { level }) => Math.max(most, level), 0) + 1;
  return (
    <div class="flame">
      {by === 'cost' && unknown > 0 ? (
        <p class="dim">
          The cost of {unknown} of {tree.nodes.size} sessions is unknown; they are drawn as if they were free.
        </p>
      ) : null}
      <div class="flame-space" style={{ height: `${deep * ROW}px` }}>
        {boxes.map(({ node, level, at, width, value, own: self }) => (
          <a
            key={node.session_id}
            class={`flame-box ${stateOf(node)}`}
            href={sessionPath(node.session_id)}
            style={{ left: `${at * 100}%`, width: `${width * 100}%`, top: `${level * ROW}px` }}
            title={`${plain(node.agent ?? node.title ?? 'session')}: ${show(value)} with everything below, ${show(self)} itself`}
          >
            {width > 0.03 ? (
              <>
                {plain(node.agent ?? node.title ?? 'session')} <span class="num">{show(value)}</span>
              </>
            ) : (
              <span class="sr">{plain(node.agent ?? 'session')}</span>
            )}
          </a>
        ))}
      </div>
    </div>
  );
}
