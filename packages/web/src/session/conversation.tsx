import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fork } from '../api/calls.js';
import type { Message } from '../api/types.js';
import { mayAct } from '../api/who.js';
import { go, place, sessionPath } from '../route/route.js';
import { count } from '../ui/format.js';
import { attempt, say } from '../ui/notices.js';
import { Skeleton } from '../ui/skeleton.js';
import { LiveMessage } from './live-message.js';
import { MessageView } from './message-view.js';
import { resultsOf } from './read-message.js';
import type { SessionRoom } from './session-room.js';

/** So near to the end counts as at the end. */
const NEAR = 48;

/** So near to what is not loaded yet, it is. */
const AHEAD = 600;

/** What was said in the selected session, from the tail, with the text that is being written. The reader's place is kept. */
export function Conversation({ room }: { room: SessionRoom }) {
  const transcript = room.transcript.value;
  const messages = transcript?.messages.value ?? null;
  const results = useMemo(() => resultsOf(messages ?? []), [messages]);
  const stored = useMemo(() => new Set(messages?.map(({ id }) => id)), [messages]);
  const open = room.open.value.filter(
    ({ session_id, message_id }) => session_id === room.selected.value && !stored.has(message_id),
  );
  const sent = room.sent.value.filter(({ session_id }) => session_id === room.selected.value);
  const { scroll, onScroll, fresh, toEnd } = useReadersPlace(room, messages);
  const onFork = async (turn: number) => {
    const made = await attempt(() => fork(room.selected.value, turn));
    if (!made) return;
    say(`Forked from turn ${turn}.`);
    go(sessionPath(made.session_id));
  };
  return (
    <section class="conversation" aria-label="Conversation">
      <div
        class="scroll"
        ref={scroll}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
        tabIndex={0}
        role="log"
        aria-label="Messages"
        aria-live="off"
      >
        <div class="column">
          {transcript?.hasOlder.value ? (
            <p class="dim center">Older messages load as you scroll up.</p>
          ) : null}
          {transcript?.error.value ? <p class="problem">✕ {transcript.error.value}</p> : null}
          {messages === null && !transcript?.error.value ? <Skeleton rows={8} /> : null}
          {messages?.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              results={results}
              known={knownOf(message, results)}
              onFork={mayAct.value ? onFork : null}
            />
          ))}
          {transcript?.hasNewer.value
            ? null
            : open.map((message) => <LiveMessage key={message.message_id} message={message} />)}
          {sent.map(({ text }, at) => (
            <article key={at} class="message user live" aria-busy="true">
              <header>
                <strong>Sending</strong>
              </header>
              <p>{text}</p>
            </article>
          ))}
          {messages?.length === 0 && open.length === 0 && sent.length === 0 ? (
            <p class="dim center">Nothing was said yet. Write an instruction below.</p>
          ) : null}
        </div>
      </div>
      {fresh !== null ? (
        <button type="button" class="to-end" onClick={toEnd}>
          {fresh > 0 ? `${count(fresh, 'new', 'new')} ↓` : 'To the end ↓'}
        </button>
      ) : null}
    </section>
  );
}

function knownOf(message: Message, results: Map<string, unknown>): string {
  if (typeof message.content === 'string') return '';
  return message.content
    .map((block) => (block.type === 'tool_call' && results.has(block.id ?? '') ? '1' : '0'))
    .join('');
}

/** Follows the end while the reader is there; elsewhere nothing moves under the eyes, and what is new is counted. */
function useReadersPlace(room: SessionRoom, messages: Message[] | null) {
  const scroll = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  /** Where the box was scrolled to last. Whoever goes up reads there; a box that got smaller stays where it was. */
  const top = useRef(0);
  const anchor = useRef<{ id: string; top: number } | null>(null);
  const wanted = useRef<string | null>(null);
  const [away, setAway] = useState(false);
  const [seen, setSeen] = useState(0);
  const transcript = room.transcript.value;
  const last = messages?.at(-1)?.seq ?? 0;

  useLayoutEffect(() => {
    const isSought = place.value.query.has('at');
    following.current = !isSought;
    top.current = 0;
    anchor.current = null;
    setAway(isSought);
  }, [transcript, place.value]);

  const sought = transcript?.found.value ?? null;
  useLayoutEffect(() => {
    wanted.current = sought === null ? null : `m${sought}`;
  }, [sought]);

  useLayoutEffect(() => {
    const box = scroll.current;
    if (!box) return;
    const target = wanted.current ? document.getElementById(wanted.current) : null;
    if (target) {
      target.scrollIntoView({ block: 'start' });
      target.classList.add('found');
      wanted.current = null;
    } else if (stayAtEnd(box)) {
      if (seen !== last) setSeen(last);
    } else if (anchor.current) {
      const kept = document.getElementById(anchor.current.id);
      if (kept) box.scrollTop += kept.getBoundingClientRect().top - anchor.current.top;
    }
    top.current = box.scrollTop;
    keepAnchor(box);
  });

  // What does not fill the screen cannot be scrolled.
  const isReady = transcript !== null && !transcript.isBusy.value && transcript.error.value === null;
  useEffect(() => {
    if (messages && isReady && (scroll.current?.scrollTop ?? 0) < AHEAD) void transcript?.older();
  }, [messages, isReady]);

  useEffect(() => {
    const box = scroll.current;
    const inner = box?.firstElementChild;
    if (!box || !inner) return;
    // Colours and opened rows change heights without a render of ours.
    const watch = new ResizeObserver(() => {
      stayAtEnd(box);
      top.current = box.scrollTop;
    });
    watch.observe(inner);
    watch.observe(box);
    return () => watch.disconnect();
  }, []);

  const keepAnchor = (box: HTMLElement) => {
    anchor.current = following.current ? null : firstVisible(box);
  };

  /** Moves to the end while the reader follows it. A browser reports a scroll later than it happens: a box above its last position was moved by the reader. */
  const stayAtEnd = (box: HTMLElement): boolean => {
    if (box.scrollTop < top.current && !isNearEnd(box)) following.current = false;
    if (following.current) box.scrollTop = box.scrollHeight;
    return following.current;
  };

  const onScroll = () => {
    const box = scroll.current;
    if (!box) return;
    const isNear = isNearEnd(box);
    const isPushed = following.current && box.scrollTop >= top.current;
    const atEnd = (isNear || isPushed) && !transcript?.hasNewer.value;
    following.current = atEnd;
    top.current = box.scrollTop;
    keepAnchor(box);
    setAway(!atEnd);
    if (atEnd && seen !== last) setSeen(last);
    if (box.scrollTop < AHEAD) void transcript?.older();
    if (transcript?.hasNewer.value && box.scrollHeight - box.scrollTop - box.clientHeight < AHEAD)
      void transcript.newer();
  };

  const toEnd = async () => {
    following.current = true;
    top.current = 0;
    if (transcript?.hasNewer.value) await transcript.load();
    const box = scroll.current;
    if (box) box.scrollTop = box.scrollHeight;
    setAway(false);
    setSeen(messages?.at(-1)?.seq ?? 0);
  };

  const fresh =
    away && messages ? messages.filter(({ seq, role }) => seq > seen && role !== 'tool').length : null;
  return { scroll, onScroll, fresh: seen === 0 && fresh !== null ? 0 : fresh, toEnd };
}

function isNearEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
}

/** The first message whose end is in sight: its place on the screen is the one to keep. */
function firstVisible(box: HTMLElement): { id: string; top: number } | null {
  const top = box.getBoundingClientRect().top;
  for (const element of box.querySelectorAll('article[id]')) {
    const place = element.getBoundingClientRect();
    if (place.bottom > top) return { id: element.id, top: place.top };
  }
  return null;
}
