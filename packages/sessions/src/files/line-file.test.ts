import { TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineFile, withLines } from './line-file.js';

interface Row {
  seq: number;
  pad: string;
}

const lines = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function collect(file: LineFile<Row>, from = 0): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { value } of file.forward(from)) seqs.push(value.seq);
  return seqs;
}

describe('a file of lines', () => {
  it('reads the same from either end, and finds any place, whatever the lengths of the lines', async () => {
    await using workspace = await TempWorkspace.create();
    const sizes = fc.array(fc.oneof(fc.nat(200), fc.integer({ min: 60_000, max: 140_000 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(45), fc.string(), async (pads, at, torn) => {
        const rows = pads.map((size, index) => ({ seq: index + 1, pad: 'é'.repeat(size / 2) }));
        const path = await workspace.write('rows.jsonl', lines(rows) + torn.replaceAll('\n', ''));
        await withLines<Row, void>(path, undefined, async (file) => {
          const all = rows.map(({ seq }) => seq);
          expect(await collect(file)).toEqual(all);
          expect((await file.backward(at)).map(({ value }) => value.seq)).toEqual(
            at === 0 ? [] : all.slice(-at),
          );
          const place = await file.seek(({ seq }) => seq > at);
          expect(await collect(file, place)).toEqual(all.slice(at));
        });
      }),
      { numRuns: 40 },
    );
  });

  it('names the line that is damaged, from whichever end it is found', async () => {
    await using workspace = await TempWorkspace.create();
    const rows = Array.from({ length: 50 }, (_, at) => ({ seq: at + 1, pad: 'x'.repeat(3_000) }));
    const text = lines(rows).split('\n');
    text[29] = `${text[29]?.slice(0, 40)}\u0000garbage`;
    const path = await workspace.write('rows.jsonl', text.join('\n'));
    await withLines<Row, void>(path, undefined, async (file) => {
      await expect(collect(file)).rejects.toThrow(/rows\.jsonl, line 30: this line is not JSON/);
      await expect(file.backward(40)).rejects.toThrow(/rows\.jsonl, line 30:/);
      expect(await file.backward(10)).toHaveLength(10);
    });
  });
});
