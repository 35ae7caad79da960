import { MAX_OPEN_FILES } from '../defaults.js';

/** Maps in order with at most `limit` at work at once. Rejects with the first error. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
  limit = MAX_OPEN_FILES,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await map(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
