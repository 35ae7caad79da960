import { type MountPlan, redactSecrets } from '@amplifier/core';
import { expect, it } from 'vitest';
import { restoreSecrets } from './restore-secrets.js';

const LIVE: MountPlan = {
  session: {
    orchestrator: { module: 'loop', config: { api_key: 'o' } },
    context: 'context',
  },
  providers: [
    { module: 'provider-a', config: { api_key: 'one', model: 'm' } },
    { module: 'provider-a', id: 'second', config: { api_key: 'two', nested: { token: 'deep' } } },
  ],
  tools: [{ module: 'tool-db', config: { url: 'postgres://me:pw@host/db', tokens: [{ secret: 's' }] } }],
  hooks: ['hooks-plain'],
  agents: { x: { providers: [{ module: 'provider-b', config: { api_key: 'three' } }], description: 'X' } },
};

it('a plan without its secrets and a live one give the live one back', () => {
  const stored = redactSecrets(LIVE);
  expect(JSON.stringify(stored)).not.toMatch(/one|two|deep|pw|three/);
  expect(restoreSecrets(stored, LIVE)).toEqual(LIVE);
});

it('what the live plan does not have stays redacted, and nothing else changes', () => {
  const stored = redactSecrets(LIVE);
  const other: MountPlan = {
    session: { orchestrator: 'loop', context: 'context' },
    providers: [],
    tools: [],
  };
  expect(restoreSecrets(stored, other)).toEqual(stored);
});
