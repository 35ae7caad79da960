// node scripts/record-web.mjs   opens every room on a made-up day's work in chromium and writes what it shows to docs/web/*.png
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDebianPackages } from './lib/debian-packages.mjs';
import { ownEnvironment, ownFolder } from './lib/own-environment.mjs';
import { prepare } from './lib/prepare.mjs';
import { mustRun } from './lib/run.mjs';

/** The same typefaces on every machine, so that a picture changes only when what it shows does. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <alias binding="strong"><family>system-ui</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="strong"><family>monospace</family><prefer><family>JetBrains Mono</family></prefer></alias>
</fontconfig>
`;

await prepare();
if (!(await installDebianPackages(['fonts-inter', 'fonts-jetbrains-mono'])))
  throw new Error('The pictures need the typefaces Inter and JetBrains Mono.');
const folder = ownFolder();
try {
  const env = ownEnvironment(process.env, folder);
  mkdirSync(join(env.XDG_CONFIG_HOME, 'fontconfig'), { recursive: true });
  writeFileSync(join(env.XDG_CONFIG_HOME, 'fontconfig/fonts.conf'), FONTS);
  await mustRun(process.execPath, ['--import', 'tsx', 'tests/web/support/take-pictures.ts'], {
    label: 'pictures',
    env,
    replace: true,
  });
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
