import { expect, it } from 'vitest';
import { lendServers, serverVariables } from './lend-servers.js';

const PLAN = { session: { orchestrator: 'loop', context: 'context' }, tools: ['tool-bash'] };

it('adds the servers of an editor to the plan, and those of the plan keep their names', () => {
  const own = { module: 'tool-mcp', config: { servers: { docs: { command: 'own' } } } };
  const servers = [
    { name: 'docs', command: 'theirs', args: [], env: [] },
    { name: 'my files', command: 'files', args: ['-x'], env: [{ name: 'KEY', value: 'v' }] },
    { type: 'http', name: 'web', url: 'http://127.0.0.1/', headers: [{ name: 'A', value: 'b' }] },
    { type: 'sse', name: 'old', url: 'http://127.0.0.1/', headers: [] },
  ];
  expect(lendServers({ ...PLAN, tools: ['tool-bash', own] }, servers).tools).toEqual([
    'tool-bash',
    {
      module: 'tool-mcp',
      config: {
        servers: {
          docs: { command: 'own' },
          my_files: { command: 'files', args: ['-x'], env: { KEY: '${AMPLIFIER_LENT_MY_FILES_KEY}' } },
          web: { url: 'http://127.0.0.1/', headers: { A: '${AMPLIFIER_LENT_WEB_A}' } },
        },
      },
    },
  ]);
  expect(serverVariables(servers)).toEqual({ AMPLIFIER_LENT_MY_FILES_KEY: 'v', AMPLIFIER_LENT_WEB_A: 'b' });
});

it('leaves a plan as it is when nothing is lent', () => {
  expect(lendServers(PLAN, [])).toBe(PLAN);
});
