import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go, sessionPath } from '../route/route.js';
import type { SessionRoom } from './session-room.js';
import { TreeLine } from './tree-line.js';
import { treeKey, treeRows } from './tree-rows.js';

const ROW = 28;
/** Rows beyond the edges, so that a fast scroll shows no holes. */
const SPARE = 12;

/** The whole delegation. Only the rows in sight exist: a thousand are as quick as ten. */
export function TreeView({ room }: { room: SessionRoom }) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const [focused, setFocused] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  room.version.value;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const tree = room.tree;
  const root = tree?.nodes.get(tree.root);
  const rows = root ? treeRows(root, folded) : [];
  const current = focused ?? room.selected.value;
  const at = Math.max(
    0,
    rows.findIndex(({ node }) => node.session_id === current),
  );
  const chosen = rows.findIndex(({ node }) => node.session_id === room.selected.value);

  // A session that was chosen elsewhere is brought into sight.
  useLayoutEffect(() => {
    if (chosen >= 0) show(chosen);
  }, [room.selected.value, rows.length > 0]);

  useLayoutEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });

  const show = (index: number): void => {
    const element = box.current;
    if (!element) return;
    if (index * ROW < element.scrollTop) element.scrollTop = index * ROW;
    else if ((index + 1) * ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = (index + 1) * ROW - element.clientHeight;
  };

  const fold = (id: string, isFolded: boolean): void => {
    const next = new Set(folded);
    if (isFolded) next.add(id);
    else next.delete(id);
    setFolded(next);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      const row = rows[at];
      if (row) go(sessionPath(row.node.session_id));
      return;
    }
    const step = treeKey(rows, at, event.key);
    if (!step) return;
    event.preventDefault();
    if (step.fold) fold(step.fold, true);
    if (step.unfold) fold(step.unfold, false);
    const to = step.to === undefined ? undefined : rows[step.to];
    if (to && step.to !== undefined) {
      setFocused(to.node.session_id);
      show(step.to);
      // The row must exist before it can have the focus.
      setTop(box.current?.scrollTop ?? 0);
    }
    moved.current = true;
  };

  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const visible = rows.slice(first, Math.ceil((top + height) / ROW) + SPARE);
  return (
    <div class="tree" ref={box} onScroll={() => setTop(box.current?.scrollTop ?? 0)}>
      <div
        role="tree"
        aria-label="Delegation tree"
        style={{ height: `${rows.length * ROW}px` }}
        class="tree-space"
        onKeyDown={onKeyDown}
      >
        {visible.map((row, index) => (
          <TreeLine
            key={row.node.session_id}
            row={row}
            top={(first + index) * ROW}
            isSelected={row.node.session_id === room.selected.value}
            isFocused={first + index === at}
            onFold={fold}
            onFocus={() => setFocused(row.node.session_id)}
          />
        ))}
      </div>
    </div>
  );
}
