import type { RunQueue, RunRecord } from '@amplifier/sessions';
import { PAGE_BYTES, RUN_PAGE } from '../defaults.js';
import { RUN_KIND } from './run-record.js';

/** Runs from the newest back, of one session or of all, read page by page: whoever has found enough stops. */
export async function* newestRuns(
  queue: RunQueue,
  { session_id, before }: { session_id?: string | undefined; before?: number | undefined },
): AsyncGenerator<RunRecord> {
  const query = { kind: RUN_KIND, order: 'newest', limit: RUN_PAGE, bytes: PAGE_BYTES } as const;
  const of = session_id === undefined ? {} : { session_id };
  for (let from = before ?? Number.POSITIVE_INFINITY; ; ) {
    const page = await queue.list({ ...query, ...of, before: from });
    const last = page.at(-1);
    if (!last) return;
    yield* page;
    from = last.seq;
  }
}

/** Runs that were cancelled before they started and whose sessions have no event of it yet, read page by page: each may have megabytes. */
export async function* unsettledRuns(queue: RunQueue): AsyncGenerator<RunRecord> {
  for (let after = 0; ; ) {
    const page = await queue.list({ kind: RUN_KIND, unsettled: true, after, bytes: PAGE_BYTES });
    const last = page.at(-1);
    if (!last) return;
    yield* page;
    after = last.seq;
  }
}
