import { stateOf, wordOf } from '../live/state-of.js';
import { go, sessionPath } from '../route/route.js';
import { Elapsed } from '../ui/elapsed.js';
import { plain, shortModel, spent, tokens } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';
import type { TreeRow } from './tree-rows.js';

interface Props {
  row: TreeRow;
  top: number;
  isSelected: boolean;
  isFocused: boolean;
  onFold: (id: string, folded: boolean) => void;
  onFocus: () => void;
}

/** One session of the tree: who, how it stands, and what it took. */
export function TreeLine({ row, top, isSelected, isFocused, onFold, onFocus }: Props) {
  const { node, level, isOpen } = row;
  const state = stateOf(node);
  const word = wordOf(node);
  const name = node.agent ?? node.title ?? 'session';
  const says = state === 'failed' || state === 'waiting' || state === 'interrupted';
  return (
    <div
      role="treeitem"
      aria-level={level + 1}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-selected={isSelected}
      {...(node.children.length > 0 ? { 'aria-expanded': isOpen } : {})}
      tabIndex={isFocused ? 0 : -1}
      class={`tree-line ${isSelected ? 'selected' : ''} ${state}`}
      style={{ transform: `translateY(${top}px)`, '--level': Math.min(level, 12) }}
      title={`${plain(name)} · ${word}${node.error ? `: ${plain(node.error)}` : ''}${node.model ? ` · ${node.model}` : ''}`}
      onFocus={onFocus}
      onClick={() => go(sessionPath(node.session_id))}
      onKeyDown={undefined}
    >
      <span class="indent" aria-hidden="true" />
      {node.children.length > 0 ? (
        <span
          class={`twist ${isOpen ? 'down' : ''}`}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onFold(node.session_id, isOpen);
          }}
        />
      ) : (
        <span class="twist none" aria-hidden="true" />
      )}
      <StatusMark state={state} word={`${word}: `} />
      <span class="tree-who">
        <span class="tree-name">{plain(name)}</span>
        {says || !node.model ? null : <span class="tree-model">{shortModel(node.model)}</span>}
      </span>
      {says ? <span class={`tree-word ${state}`}>{word}</span> : null}
      <span class="tree-figures num">
        <Elapsed from={node.started_at} to={node.ended_at} />
        <span>{tokens(node.tokens)}</span>
        <span>{node.cost_usd === null && node.tokens > 0 ? '$ ?' : spent(node)}</span>
      </span>
    </div>
  );
}
