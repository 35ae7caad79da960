import { BlockList, isIP } from 'node:net';

/**
 * Ranges that are not the public internet: own machine, own network, cloud metadata, multicast and documentation. Of IPv6 only
 * 2000::/3 is public, except for the ranges in it that wrap an IPv4 address or are reserved.
 */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const NOT_PUBLIC_IPV6 = [
  '::/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
];

/** An IPv4 address as resolvers write it where only IPv6 is asked for. In any other spelling it is refused. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Decides whether an address may be reached: public ones, and those the operator named. */
export function addressGuard(allowed: readonly string[]): (address: string) => boolean {
  // Apart: node compares an IPv4 address with IPv6 ranges, too, in its mapped form.
  const closed = { ipv4: blockList(NOT_PUBLIC_IPV4), ipv6: blockList(NOT_PUBLIC_IPV6) };
  const open = blockList(allowed);
  return (given) => {
    const address = MAPPED.exec(given)?.[1] ?? given;
    const family = familyOf(address);
    if (family === null) return false;
    return open.check(address, family) || !closed[family].check(address, family);
  };
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = familyOf(address);
    if (family === null)
      throw new Error(`'${range}' is neither an IP address nor a range such as 10.0.0.0/8.`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address.split('%')[0] ?? '');
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : null;
}
