// Applies the patch of an isolated tree, and kills itself with SIGKILL when a given part of the file operations is done.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const MUTATIONS = ['rename', 'unlink', 'mkdir', 'rmdir', 'chmod', 'symlink', 'copyFile', 'utimes', 'rm'];
const [home, id, part] = process.argv.slice(2);
let done = 0;
let killAt = Number.POSITIVE_INFINITY;

for (const name of MUTATIONS) {
  const original = fs.promises[name];
  fs.promises[name] = async (...args) => {
    if (++done === killAt) process.kill(process.pid, 'SIGKILL');
    return original.apply(fs.promises, args);
  };
}
syncBuiltinESMExports();

const { applyPatch, Isolation, undoApply } = await import('@amplifier/workspace');
const isolation = await Isolation.open(home, id);
const patch = await isolation.patch({ includeIgnored: true });
done = 0;
const rehearsal = await applyPatch(patch, { home });
const total = done;
const undoing = part.startsWith('undo:');
if (!undoing) await undoApply(rehearsal.apply_id, { home });
done = 0;
killAt = Math.max(1, Math.ceil(total * Number(part.replace('undo:', ''))));
if (undoing) await undoApply(rehearsal.apply_id, { home });
else await applyPatch(patch, { home });
