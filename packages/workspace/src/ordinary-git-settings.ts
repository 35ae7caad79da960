import { runGit } from './git.js';

/** Settings that `git init`, `git clone` and a first commit write. None of them names a program, or a file with more settings. */
const ORDINARY: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  /^extensions\.objectformat$/,
  /^init\.defaultbranch$/,
  /^user\.(name|email)$/,
  /^branch\..*\.(remote|merge)$/s,
  /^remote\..*\.fetch$/s,
];
/** Addresses of the ordinary kinds. `ext::` and its like name a program. */
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/(?!-)|\w[\w.-]*@\w[\w.-]*:|\.{0,2}\/)/;

/** Does git take from these settings nothing that could run a program? What git itself cannot read does not count as ordinary. */
export async function isOrdinarySettings(text: string): Promise<boolean> {
  try {
    const listed = await runGit(['config', '--file', '-', '--no-includes', '--list', '-z'], {
      cwd: '/',
      input: text,
    });
    return listed.toString().split('\0').filter(Boolean).every(isOrdinary);
  } catch {
    return false;
  }
}

function isOrdinary(entry: string): boolean {
  const end = entry.indexOf('\n');
  const [name, value] = end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
  if (/^remote\..*\.url$/s.test(name)) return ADDRESS.test(value) && !value.includes('::');
  return ORDINARY.some((pattern) => pattern.test(name));
}
