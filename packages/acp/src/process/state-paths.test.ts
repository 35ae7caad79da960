import { expect, it } from 'vitest';
import { buildRoster } from '../roster/roster.js';
import { statePaths } from './state-paths.js';

const copilot = buildRoster().get('copilot').state_paths;

it('finds the places of an agent by the usual folders, and by the variables that move them', () => {
  const usual = statePaths(copilot, { HOME: '/home/ada' });
  expect(usual).toEqual([
    '/home/ada/.copilot',
    '/home/ada/.config/github-copilot',
    '/home/ada/.cache/copilot',
  ]);
  const moved = statePaths(copilot, {
    HOME: '/home/ada',
    XDG_CACHE_HOME: '/var/cache/ada',
    COPILOT_HOME: '/srv/copilot',
  });
  expect(moved).toContain('/var/cache/ada/copilot');
  expect(moved).toContain('/srv/copilot');
});

it('takes no variable for a place that holds the whole home, or that is relative', () => {
  for (const COPILOT_HOME of ['/', '/home', '/home/ada', '/home/ada/.', 'copilot', ''])
    expect(statePaths(['env:COPILOT_HOME'], { HOME: '/home/ada', COPILOT_HOME }), COPILOT_HOME).toEqual([]);
});
