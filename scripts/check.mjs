import { checks } from './lib/checks.mjs';
import { prepare } from './lib/prepare.mjs';

await prepare();
const failed = await checks();
process.exitCode = failed === 0 ? 0 : 1;
