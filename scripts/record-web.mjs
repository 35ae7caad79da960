// node scripts/record-web.mjs   opens every room on a made-up day's work in chromium and writes what it shows to docs/web/*.png
import { rmSync } from 'node:fs';
import { ownEnvironment, ownFolder } from './lib/own-environment.mjs';
import { prepare } from './lib/prepare.mjs';
import { mustRun } from './lib/run.mjs';

await prepare();
const folder = ownFolder();
try {
  await mustRun(process.execPath, ['--import', 'tsx', 'tests/web/support/take-pictures.ts'], {
    label: 'pictures',
    env: ownEnvironment(process.env, folder),
    replace: true,
  });
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
