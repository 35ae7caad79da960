import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Every address a host name stands for. */
export type ResolveHost = (host: string) => Promise<string[]>;

export const resolveHost: ResolveHost = async (host) => {
  if (isIP(host)) return [host];
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
