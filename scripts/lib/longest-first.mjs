import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { root } from './paths.mjs';

/** Files that take longer than their size tells: they begin first, so that none of them runs alone at the end. */
const LONG = [
  'packages/daemon/src/lifecycle/stand-still.test.ts',
  'packages/cli/src/commands/run/shell-on-screen.test.ts',
  'tests/hostile/hostile.test.ts',
  'tests/scripts.test.ts',
  'tests/trust/trust-table.test.ts',
  'packages/cli/src/commands/trust/trusted-code.test.ts',
  'packages/cli/src/talk/talk.test.ts',
  'packages/daemon/src/under-attack.test.ts',
  'packages/mcp/src/external.test.ts',
  'packages/acp/src/engine/session.test.ts',
  'tests/web/user-home.test.ts',
  'tests/web/connection.test.ts',
  'tests/web/rooms.test.ts',
  'tests/docs/docs.test.ts',
  'tests/replicas-killed.test.ts',
  'tests/replicas.test.ts',
  'packages/daemon/src/runs/kill-runs.test.ts',
  'packages/daemon/src/tenants/tenants-hold.test.ts',
  'packages/cli/src/commands/run/hardship.test.ts',
  'packages/cli/src/commands/run/frozen.test.ts',
  'packages/cli/src/install.test.ts',
  'tests/one-home/one-home.test.ts',
  'tests/coming-from/coming-from.test.ts',
];

/** As Vitest orders files, but for those. */
export default class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const rank = ({ moduleId, project }) => {
      // Between files that share a process, one with its own would end that.
      if (project.config.isolate) return -1;
      const at = LONG.indexOf(relative(root, moduleId));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b));
  }
}
