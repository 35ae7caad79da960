import type { Project } from '../project/project.js';
import type { ActingPart } from '../trust/acting-parts.js';
import { digestOf } from '../trust/local-files.js';
import { readTrustFile, writeTrustFile } from '../trust/trust-notes.js';

/**
 * Does the person agree to what changed outside the folder's own configuration? A no holds until `state` differs. Without a
 * person the answer is no.
 */
export async function askOnce(
  { consent, trust, paths }: Pick<Project, 'consent' | 'trust' | 'paths'>,
  parts: ActingPart[],
  state: unknown,
): Promise<boolean> {
  if (consent.given) return true;
  if (!consent.ask) return false;
  const subject = `refused in ${trust.folder}`;
  const digest = digestOf(state);
  if ((await readTrustFile(paths.home, subject))?.digest === digest) return false;
  if (await consent.ask({ ...trust, state: 'changed', parts, added: parts })) return true;
  await writeTrustFile(paths.home, subject, { digest });
  return false;
}
