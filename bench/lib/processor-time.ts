import { readdir, readFile } from 'node:fs/promises';

/** User and system time of a process so far; the kernel counts in hundredths of a second. */
export async function processorMs(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same of a process and all below it, those that have ended included. */
export async function familyMs(pid: number): Promise<number> {
  const all = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(statOf));
  const own = await statOf(pid);
  const below = all.filter((fields) => Number(fields[1]) === pid);
  const ticks = (fields: readonly string[]) => Number(fields[11]) + Number(fields[12]);
  const ended = Number(own[13]) + Number(own[14]);
  return (ticks(own) + ended + below.reduce((sum, fields) => sum + ticks(fields), 0)) * 10;
}

async function statOf(pid: number | string): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
