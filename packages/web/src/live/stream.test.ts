import { describe, expect, it } from 'vitest';
import type { Delta } from '../api/types.js';
import { withDelta, withSnapshot } from './open-messages.js';
import { type SseFrame, sseParser } from './parse-sse.js';

const at = (offset: number, delta: string): Delta => ({
  session_id: 's',
  root_id: 's',
  message_id: 'm',
  part: 'text',
  offset,
  delta,
});

describe('the stream of events', () => {
  it('is read the same however it is cut', () => {
    const text =
      'retry: 1000\n\n: heartbeat\n\nid: 7\nevent: run:ended\ndata: {"a":1}\r\ndata: {"b":2}\r\n\r\nevent: delta\ndata:x\n\n';
    for (const size of [1, 2, 3, 7, 1_000]) {
      const frames: SseFrame[] = [];
      const parse = sseParser((frame) => frames.push(frame));
      for (let from = 0; from < text.length; from += size) parse(text.slice(from, from + size));
      expect(frames).toEqual([
        { event: 'run:ended', id: '7', data: '{"a":1}\n{"b":2}' },
        { event: 'delta', id: null, data: 'x' },
      ]);
    }
  });

  it('neither doubles nor loses text around a lost connection', () => {
    let open = withDelta(undefined, at(0, 'Hello '));
    open = withDelta(open, at(0, 'Hello '));
    open = withDelta(open, at(3, 'lo wor'));
    expect(open.text).toBe('Hello wor');
    // After a hole nothing is guessed; the snapshot brings what is missing.
    open = withDelta(open, at(20, '!'));
    expect(open.text).toBe('Hello wor');
    const { session_id, root_id, message_id, part } = at(0, '');
    open = withSnapshot(open, { session_id, root_id, message_id, part, text: 'Hello world, and all of it' });
    open = withSnapshot(open, { session_id, root_id, message_id, part, text: 'Hello' });
    expect(open.text).toBe('Hello world, and all of it');
  });
});
