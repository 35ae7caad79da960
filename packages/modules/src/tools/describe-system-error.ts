/** What the operating system's refusals mean to somebody who asked for a file. */
const MEANING: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be accessed by this user',
  EPERM: 'may not be changed by this user',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  EISDIR: 'is a folder',
  ENOTDIR: 'has a file where a folder is needed',
  ELOOP: 'is a symbolic link that leads in a circle or may not be followed',
  ENAMETOOLONG: 'is longer than a path may be',
  EMFILE: 'cannot be opened: too many files are open',
  EBUSY: 'is in use',
};

/** A sentence for an error of the operating system; null for any other error. */
export function describeSystemError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || syscall === undefined) return null;
  const meaning = MEANING[code];
  return meaning && path ? `'${path}' ${meaning}.` : `${syscall} failed on '${path ?? 'a file'}': ${code}.`;
}
