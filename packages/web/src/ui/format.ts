export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.floor(s)} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} m ${pad(Math.floor(s % 60))} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${pad(minutes % 60)} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const pad = (n: number): string => String(n).padStart(2, '0');

export function tokens(count: number | null): string {
  if (count === null) return 'unknown';
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${trim(count / 1_000)} k`;
  return `${trim(count / 1_000_000)} M`;
}

const trim = (n: number): string => (n < 100 ? n.toFixed(1).replace(/\.0$/, '') : String(Math.round(n)));

/** Unknown cost is unknown, not 0. */
export function money(usd: string | number | null | undefined): string {
  if (usd === null || usd === undefined) return 'unknown';
  const n = Number(usd);
  if (n === 0) return '$0';
  if (n < 0.01) return n < 0.0001 ? '<$0.0001' : `$${n.toFixed(4)}`;
  return `$${n < 100 ? n.toFixed(2) : Math.round(n).toLocaleString('en')}`;
}

/** The cost of what was used: nothing used cost nothing. */
export function spent({ tokens: used, cost_usd }: { tokens: number; cost_usd: string | null }): string {
  return used > 0 && cost_usd === null ? 'cost unknown' : money(used === 0 ? '0' : cost_usd);
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  return count < 1024 * 1024 ? `${Math.round(count / 1024)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (ms < 45_000) return 'just now';
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min ago`;
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h ago`;
  return ms < 7 * 86_400_000 ? `${Math.round(ms / 86_400_000)} d ago` : iso.slice(0, 10);
}

export const clockTime = (iso: string): string => new Date(iso).toTimeString().slice(0, 8);

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

const HIDDEN = /[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g;

/** Characters that turn the direction of writing could show a text other than the one that is there: they are spelled out. */
export function plain(text: string): string {
  return text.replace(
    HIDDEN,
    (found) => `[U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** Without the makers' names and dates, where the whole name stands elsewhere. */
export function shortModel(name: string): string {
  return plain(name)
    .replace(/^.*\//, '')
    .replace(/^claude-/, '')
    .replace(/-20\d{6}$/, '');
}
