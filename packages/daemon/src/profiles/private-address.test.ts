import { describe, expect, it } from 'vitest';
import { isPrivateAddress, refusePrivateUrl } from './private-address.js';

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::7f00:1',
    '::ffff:0:7f00:1',
    '::ffff:7f00:1',
    '3fff::1',
    '5f00::1',
    'fec0::1',
    'ff02::1',
    '192.88.99.1',
    'no address',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));
  it.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is public',
    (address) => expect(isPrivateAddress(address)).toBe(false),
  );
});

it('a URL to a private address is refused, however it is written', async () => {
  const urls = [
    'http://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]:8420/',
    'https://[::ffff:7f00:1]/',
    'https://localhost/x',
    'file:///etc/passwd',
    'ssh://git@10.0.0.1/x',
  ];
  for (const url of urls)
    await expect(refusePrivateUrl(new URL(url)), url).rejects.toMatchObject({ code: 'INVALID_SOURCE' });
  await expect(refusePrivateUrl(new URL('https://8.8.8.8/x'))).resolves.toBeUndefined();
});

it('a URL whose address cannot be looked up, or leads inside, is refused', async () => {
  const url = new URL('https://somewhere.example/x');
  const leadingTo =
    (...addresses: string[]) =>
    async () =>
      addresses.map((address) => ({ address }));
  await expect(refusePrivateUrl(url, () => Promise.reject(new Error('ENOTFOUND')))).rejects.toMatchObject({
    code: 'INVALID_SOURCE',
    message: expect.stringContaining('where somewhere.example leads cannot be looked up'),
  });
  await expect(refusePrivateUrl(url, leadingTo('8.8.8.8', '10.0.0.1'))).rejects.toMatchObject({
    code: 'INVALID_SOURCE',
    message: expect.stringContaining('the private address 10.0.0.1'),
  });
  await expect(refusePrivateUrl(url, leadingTo('8.8.8.8'))).resolves.toBeUndefined();
});
