import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { standStillFor } from '@amplifier/host';

/** Lets the person write in their own editor. Null when there is none, or it failed. */
export function editOutside(text: string): string | null {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor) return null;
  const folder = mkdtempSync(join(tmpdir(), 'amplifier-'));
  const file = join(folder, 'message.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const env = { ...process.env, FILE: file };
    const { status } = standStillFor(() =>
      spawnSync(`${editor} "$FILE"`, { shell: true, stdio: 'inherit', env }),
    );
    return status === 0 ? readFileSync(file, 'utf8').trimEnd() : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
