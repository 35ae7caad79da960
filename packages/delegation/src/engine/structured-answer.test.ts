import { describe, expect, it } from 'vitest';
import { delegationBench, type Scene } from '../../test-support/delegation-bench.js';
import { readStructuredAnswer } from './structured-answer.js';

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

describe('an answer with a form', () => {
  it.each([
    ['{"n": 1}', { data: { n: 1 } }],
    ['Here it is:\n```json\n{"n": 2}\n```\nDone.', { data: { n: 2 } }],
    ['n is 1', { fault: 'It is not JSON.' }],
    ['{"n": "one"}', { fault: expect.stringContaining('n') }],
    ['', { fault: 'It is not JSON.' }],
  ])('%j is read', (text, reading) => {
    expect(readStructuredAnswer(text, SCHEMA)).toEqual(reading);
  });

  const child = (answers: string[]): Scene => {
    let said = 0;
    return () => ({ text: answers[said++] ?? 'nothing more' });
  };
  const ask = async (answers: string[]) => {
    const bench = await delegationBench({ scene: child(answers) });
    const root = await bench.liveRoot();
    const delegation = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Count.', output_schema: SCHEMA },
      root.seat,
    );
    const lines = await bench.store.messages(delegation.launch.session_id);
    await root[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
    if (delegation.kind !== 'outcome') throw new Error('in the background');
    return { outcome: delegation.outcome, lines };
  };

  it('is data in the outcome, and the schema was in the task', async () => {
    const { outcome, lines } = await ask(['{"n": 7}']);
    expect(outcome).toMatchObject({ status: 'completed', data: { n: 7 }, turn_count: 1 });
    expect(lines[0]?.content).toContain('"required":["n"]');
  });

  it('gets one more try, and is told what was wrong', async () => {
    const { outcome, lines } = await ask(['seven', '{"n": 7}']);
    expect(outcome).toMatchObject({ status: 'completed', data: { n: 7 }, turn_count: 2 });
    expect(lines[2]?.content).toContain('It is not JSON.');
  });

  it('fails after the second miss, with what was said', async () => {
    const { outcome, lines } = await ask(['seven', '{"n": "seven"}', '{"n": 7}']);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'SCHEMA_MISMATCH' },
      partial_text: '{"n": "seven"}',
    });
    expect(lines).toHaveLength(4);
  });
});
