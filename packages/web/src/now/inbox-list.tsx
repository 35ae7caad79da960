import { useRef } from 'preact/hooks';
import { continueRun } from '../api/calls.js';
import type { InboxItem } from '../api/types.js';
import { go, sessionPath } from '../route/route.js';
import { ApprovalCard } from '../session/approval-card.js';
import { now } from '../ui/clock.js';
import { ago, plain } from '../ui/format.js';
import { attempt } from '../ui/notices.js';
import { StatusMark } from '../ui/status-mark.js';
import { inbox } from './inbox.js';

/** Newest first; j and k move, a number answers, Enter opens. */
export function InboxList({ items }: { items: InboxItem[] }) {
  const list = useRef<HTMLUListElement>(null);
  if (items.length === 0) return <p class="dim">Nothing waits for you.</p>;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement) return;
    const all = [...(list.current?.children ?? [])] as HTMLElement[];
    const at = all.findIndex((each) => each.contains(document.activeElement));
    const step =
      event.key === 'j' || event.key === 'ArrowDown'
        ? 1
        : event.key === 'k' || event.key === 'ArrowUp'
          ? -1
          : 0;
    if (step === 0) return;
    event.preventDefault();
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
  };
  return (
    <ul class="inbox" ref={list} onKeyDown={onKeyDown}>
      {items.map((item, at) => (
        <Item key={`${item.session_id}:${item.approval_id ?? item.kind}`} item={item} first={at === 0} />
      ))}
    </ul>
  );
}

function Item({ item, first }: { item: InboxItem; first: boolean }) {
  const take = (): (() => void) => {
    const before = inbox.value;
    inbox.value = before?.filter((each) => each !== item) ?? null;
    return () => {
      inbox.value = before;
    };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') return go(sessionPath(item.session_id));
    const button = (event.currentTarget as HTMLElement).querySelectorAll('.row > button')[
      Number(event.key) - 1
    ];
    if (button instanceof HTMLButtonElement) {
      event.preventDefault();
      button.click();
    }
  };
  const { approval_id } = item;
  const label = `${item.agent ?? 'A session'}: ${item.prompt.slice(0, 200)}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the list is moved through by key
    <li tabIndex={0} data-first={first} onKeyDown={onKeyDown} aria-label={plain(label)}>
      {approval_id && (item.kind === 'approval' || item.kind === 'question') ? (
        <ApprovalCard asking={{ ...item, kind: item.kind, approval_id }} isOwn={false} onAnswered={take} />
      ) : (
        <Ended item={item} take={take} />
      )}
      <span class="dim when">{ago(item.asked_at, now.value)}</span>
    </li>
  );
}

function Ended({ item, take }: { item: InboxItem; take: () => () => void }) {
  const state = item.kind === 'interrupted' ? 'interrupted' : item.kind === 'failed' ? 'failed' : 'waiting';
  return (
    <div class="asking">
      <p class="asking-head">
        <StatusMark state={state} />
        <strong>{plain(item.agent ?? item.title ?? 'A session')}</strong>{' '}
        {item.kind === 'question' ? 'has a question' : item.kind}
        <a href={sessionPath(item.session_id)}>Open</a>
      </p>
      <p class="asking-prompt" dir="auto">
        {plain((item.error?.message ?? item.prompt).slice(0, 1_000))}
      </p>
      {item.kind === 'interrupted' ? (
        <div class="row">
          <button
            type="button"
            class="primary"
            onClick={() => {
              const undo = take();
              void attempt(() => continueRun(item.session_id), undo);
            }}
          >
            Continue <kbd>1</kbd>
          </button>
        </div>
      ) : null}
    </div>
  );
}
