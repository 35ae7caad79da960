/** One thing to time. Called many times; whatever it leaves behind is its own business. */
export interface Subject {
  name: string;
  run: () => unknown | Promise<unknown>;
}

export interface Measured {
  name: string;
  /** Microseconds per call: the median over batches, and the slowest one in a hundred. */
  p50: number;
  p99: number;
}

export const isSmoke = process.argv.includes('--smoke');

/**
 * Times subjects in turns, so that a noisy machine hurts all of them alike. Trust the ratios between lines of one run,
 * never a number from another run.
 */
export async function measure(
  subjects: Subject[],
  { batches = 60, perBatch = 50 }: { batches?: number; perBatch?: number } = {},
): Promise<Measured[]> {
  const rounds = isSmoke ? 1 : batches;
  const times = subjects.map(() => [] as number[]);
  for (let round = -1; round < rounds; round++) {
    for (const [index, { run }] of subjects.entries()) {
      const started = process.hrtime.bigint();
      for (let call = 0; call < perBatch; call++) await run();
      const elapsed = Number(process.hrtime.bigint() - started) / 1000 / perBatch;
      if (round >= 0) times[index]?.push(elapsed);
    }
  }
  return subjects.map(({ name }, index) => ({
    name,
    p50: percentile(times[index] ?? [], 0.5),
    p99: percentile(times[index] ?? [], 0.99),
  }));
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Heap bytes that each of `count` things made by `make` keeps alive. Needs --expose-gc. */
export async function heapBytesPer(count: number, make: () => unknown | Promise<unknown>): Promise<number> {
  const kept: unknown[] = [];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < count; index++) kept.push(await make());
  collectGarbage();
  const after = process.memoryUsage().heapUsed;
  return kept.length === 0 ? 0 : (after - before) / kept.length;
}

/** Prints a table; the ratio is against the first line, the floor. */
export function printTable(title: string, rows: readonly Measured[]): void {
  const floor = rows[0]?.p50 ?? Number.NaN;
  console.log(`\n${title}`);
  console.log(
    `${'  what'.padEnd(52)}${'p50 µs'.padStart(11)}${'p99 µs'.padStart(11)}${'× floor'.padStart(11)}`,
  );
  for (const { name, p50, p99 } of rows) {
    console.log(`  ${name.padEnd(50)}${figure(p50)}${figure(p99)}${figure(p50 / floor)}`);
  }
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).padStart(11);
}

function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('Run with node --expose-gc to measure memory.');
  globalThis.gc();
}
