/**
 * `index.json`: one JSON object, written with one session per line so that it can be cut into lines without parsing it.
 * The sessions are in the order of creation.
 */
export interface SnapshotRows {
  generation: number;
  ids: readonly string[];
  /** `"<id>":{...}` */
  text(row: number): string;
}

export const NO_ROWS: SnapshotRows = { generation: 0, ids: [], text: () => '' };

const HEAD = /^\{"version":1,"generation":(\d+),"sessions":\{\n/;
const TAIL = '\n}}\n';

export function writeRows(generation: number, rows: readonly string[]): string {
  return `{"version":1,"generation":${generation},"sessions":{\n${rows.join(',\n')}${TAIL}`;
}

/** Null when it is not a whole snapshot. One that is JSON but laid out otherwise is brought into form first. */
export function readRows(snapshot: Buffer): SnapshotRows | null {
  const head = HEAD.exec(snapshot.toString('latin1', 0, 80));
  if (!head || !snapshot.subarray(-TAIL.length).equals(Buffer.from(TAIL))) return relay(snapshot);
  const starts: number[] = [];
  const ids: string[] = [];
  const end = snapshot.length - TAIL.length + 1;
  for (let start = head[0].length; start < end; ) {
    const quote = snapshot.indexOf(QUOTE, start + 1);
    if (snapshot[start] !== QUOTE || quote < 0) break;
    starts.push(start);
    ids.push(snapshot.toString('latin1', start + 1, quote));
    start = snapshot.indexOf(NEWLINE, quote) + 1;
  }
  starts.push(end);
  return {
    generation: Number(head[1]),
    ids,
    text(row) {
      const isLast = row === ids.length - 1;
      return snapshot.toString('utf8', starts[row], (starts[row + 1] ?? end) - (isLast ? 1 : 2));
    },
  };
}

const QUOTE = 34;
const NEWLINE = 10;

function relay(snapshot: Buffer): SnapshotRows | null {
  let parsed: { generation?: unknown; sessions?: Record<string, { created?: string }> } | null;
  try {
    parsed = JSON.parse(snapshot.toString('utf8'));
  } catch {
    return null;
  }
  const { generation, sessions } = parsed ?? {};
  if (!Number.isInteger(generation) || typeof sessions !== 'object' || sessions === null) return null;
  const rows = Object.entries(sessions)
    .sort(([a, x], [b, y]) => ((x.created ?? '') + a < (y.created ?? '') + b ? -1 : 1))
    .map(([id, entry]) => `${JSON.stringify(id)}:${JSON.stringify(entry)}`);
  return readRows(Buffer.from(writeRows(Number(generation), rows)));
}
