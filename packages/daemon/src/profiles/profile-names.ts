import { DaemonError } from '../daemon-error.js';

/** Collections and profiles become folder names, so their names are narrow. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/;

export interface ProfileId {
  collection: string;
  profile: string;
}

export function isName(text: string): boolean {
  return NAME.test(text);
}

export function checkName(kind: 'collection' | 'profile', text: string): string {
  if (isName(text)) return text;
  throw new DaemonError(
    'INVALID_ID',
    `${JSON.stringify(text)} is no ${kind} name: use lower case letters, digits, "_" and "-", at most 100.`,
  );
}

/** `collection/profile`, exactly. */
export function parseProfileId(text: string): ProfileId {
  const [collection = '', profile = '', ...rest] = text.split('/');
  if (rest.length > 0 || profile === '') {
    throw new DaemonError(
      'INVALID_ID',
      `${JSON.stringify(text)} is no profile id: write collection/profile.`,
    );
  }
  return { collection: checkName('collection', collection), profile: checkName('profile', profile) };
}

export function profileId({ collection, profile }: ProfileId): string {
  return `${collection}/${profile}`;
}
