import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { sharedTree, whoIsThis } from './api/who.js';
import { lostSince } from './live/connection.js';
import { isInSight } from './live/in-sight.js';
import { inbox, refreshInbox } from './now/inbox.js';
import { openPalette } from './palette/open.js';
import { place } from './route/route.js';
import { now } from './ui/clock.js';
import { clockTime, duration } from './ui/format.js';

const ROOMS = [
  ['/', 'Now', 'now'],
  ['/agents', 'Agents', 'agents'],
  ['/spend', 'Spend', 'spend'],
  ['/settings', 'Settings', 'settings'],
] as const;

/** Now hears of everything at once; elsewhere a tab has no second stream, for a browser has few of them. */
const LOOK_AGAIN = 15_000;

/** The bar at the top, the state of the connection, and the room below. */
export function Shell({ children }: { children: ComponentChildren }) {
  useEffect(() => {
    const look = async () => {
      const { shared_session } = await whoIsThis();
      if (shared_session === null && isInSight() && place.value.room !== 'now') await refreshInbox();
    };
    const again = () => void look().catch(() => {});
    void whoIsThis().catch(() => {});
    // What the room itself asks for goes first.
    const first = setTimeout(again, 1_000);
    const timer = setInterval(again, LOOK_AGAIN);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, []);
  const isGuest = sharedTree.value !== null;
  const waiting = inbox.value?.filter(({ kind }) => kind === 'approval' || kind === 'question').length ?? 0;
  return (
    <div class="shell">
      <header class="top">
        {place.value.room === 'session' ? (
          <a class="skip" href="#composer">
            Skip to the composer
          </a>
        ) : null}
        <a class="brand" href="/" aria-label="Amplifier">
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 14 8 2l6 12M5 10h6" fill="none" stroke="currentColor" stroke-width="2" />
          </svg>
          <span>Amplifier</span>
        </a>
        {isGuest ? <span class="dim">Shared with you, read-only</span> : null}
        {isGuest ? null : (
          <nav aria-label="Rooms">
            {ROOMS.map(([href, name, room]) => (
              <a
                key={href}
                href={href}
                {...(place.value.room === room ? { 'aria-current': 'page' as const } : {})}
              >
                {name}
                {room === 'now' && waiting > 0 ? (
                  <span class="badge" title={`${waiting} waiting for you`}>
                    {waiting}
                    <span class="sr"> waiting for you</span>
                  </span>
                ) : null}
              </a>
            ))}
          </nav>
        )}
        <span class="grow" />
        {isGuest ? null : (
          <button type="button" class="find" onClick={openPalette}>
            <span>
              Find<span class="narrow"> or do</span>
            </span>{' '}
            <kbd class="narrow">Ctrl K</kbd>
          </button>
        )}
      </header>
      <Connection />
      {children}
    </div>
  );
}

/** A short break is not worth a word. */
const WORTH_SAYING = 1_500;

function Connection() {
  const since = lostSince.value;
  if (since === null || now.value - since < WORTH_SAYING) return <div class="connection" role="status" />;
  return (
    <div class="connection lost" role="status">
      ⚠ Connection lost at {clockTime(new Date(since).toISOString())}, {duration(now.value - since)} ago. What
      you see is as it was then; it catches up by itself.
    </div>
  );
}
