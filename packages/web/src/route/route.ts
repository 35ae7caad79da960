import { computed, signal } from '@preact/signals';

export type Room = 'now' | 'session' | 'timeline' | 'agents' | 'spend' | 'settings' | 'unknown';

export interface Place {
  room: Room;
  /** Of Session and Timeline. */
  id: string | null;
  query: URLSearchParams;
}

const address = signal(location.pathname + location.search);

export const place = computed<Place>(() => placeOf(address.value));

function placeOf(address: string): Place {
  const { pathname, searchParams: query } = new URL(address, 'http://here');
  const [, first = '', id = '', view = ''] = pathname.split('/');
  const at = (room: Room, of: string | null = null): Place => ({ room, id: of, query });
  if (first === '' || first === 'sessions') return at('now');
  if (first === 's' && id !== '' && view === '') return at('session', decodeURIComponent(id));
  if (first === 's' && id !== '' && view === 'time') return at('timeline', decodeURIComponent(id));
  if (id === '' && (first === 'agents' || first === 'spend' || first === 'settings')) return at(first);
  return at('unknown');
}

export function go(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  address.value = to;
}

/** A session, at a message or at a moment when it is given. */
export const sessionPath = (id: string, at?: number | string): string =>
  `/s/${encodeURIComponent(id)}${at === undefined ? '' : `?at=${encodeURIComponent(at)}`}`;
export const timelinePath = (id: string): string => `/s/${encodeURIComponent(id)}/time`;

window.addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
});

/** Links to rooms change the page in place; all others, and those with a modifier, are the browser's. */
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.('a[href^="/"]');
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
  if (/^\/(docs|api|openapi)/.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
