import { newTraceId, rootSessionId, subSessionId, ulidSource } from '@amplifier/core';
import { VirtualClock } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSessionId, isSessionId } from './session-ids.js';

describe('session ids', () => {
  it('takes the parent span from the parent, the trace or nowhere', () => {
    const parent = '00000000000000aa-00000000000000bb_x';
    const trace_id = '0123456789abcdef0123456789abcdef';
    expect(subSessionId({ session_id: parent, trace_id }, 'y')).toMatch(/^00000000000000bb-[0-9a-f]{16}_y$/);
    expect(subSessionId({ session_id: 'session_1', trace_id }, 'y')).toMatch(/^89abcdef01234567-/);
    expect(subSessionId({ session_id: 'session_1' }, 'y')).toMatch(/^0{16}-/);
    expect(subSessionId({ session_id: 'session_1', trace_id: 'short' }, 'y')).toMatch(/^0{16}-/);
  });

  it.each([
    ['Zen Architect', 'zen-architect'],
    ['foundation:explorer', 'foundation-explorer'],
    ['--a__b--', 'a-b'],
    ['', 'agent'],
    ['äöü', 'agent'],
  ])('writes the agent %j as %j', (agent, part) => {
    expect(subSessionId({ session_id: 'r' }, agent).split('_')[1]).toBe(part);
  });

  it('makes ids that pass its own grammar, whatever the agent is called', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (agent) => {
        expect(isSessionId(subSessionId({ session_id: 'r', trace_id: newTraceId() }, agent))).toBe(true);
      }),
    );
  });

  it('lets no id out of its folder', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        if (isSessionId(text)) expect(text).not.toMatch(/[./\\]/);
        else expect(() => checkSessionId(text)).toThrow(/is not a session id/);
      }),
    );
  });

  it('makes ulids that rise while the clock stands still or is set back', () => {
    const clock = new VirtualClock();
    const next = ulidSource(clock);
    const ids = [next(), next()];
    clock.set('2020-01-01T00:00:00.000Z');
    ids.push(next());
    clock.set('2030-01-01T00:00:00.000Z');
    ids.push(next());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
    expect(isSessionId(rootSessionId(next()))).toBe(true);
  });
});
