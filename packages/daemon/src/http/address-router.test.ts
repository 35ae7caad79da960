import { expect, it } from 'vitest';
import { AddressRouter } from './address-router.js';

const router = new AddressRouter<string>();
for (const route of [
  'GET /items/:id',
  'GET /items/new',
  'DELETE /items/:id',
  'POST /items/new',
  'GET /items/:id/parts/:part',
  'ALL /open',
  'POST /open',
]) {
  const [method = '', path = ''] = route.split(' ');
  router.add(method, path, route);
}

it.each([
  ['GET', '/items/7', ['GET /items/:id'], { id: '7' }],
  ['GET', '/items/new', ['GET /items/new'], {}],
  ['DELETE', '/items/new', ['DELETE /items/:id'], { id: 'new' }],
  ['GET', '/items/new/parts/2', ['GET /items/:id/parts/:part'], { id: 'new', part: '2' }],
  ['POST', '/open', ['ALL /open', 'POST /open'], {}],
  ['PUT', '/items/7', [], {}],
  ['GET', '/items', [], {}],
  ['GET', '/items/', [], {}],
  ['GET', '/items//parts/2', [], {}],
  ['GET', '/items/7/parts', [], {}],
  ['GET', '/', [], {}],
])('%s %s leads to its handlers, words before placeholders', (method, path, handlers, params) => {
  const [found] = router.match(method, path);
  expect(found.map(([handler]) => handler)).toEqual(handlers);
  for (const [, given] of found) expect(given).toEqual(params);
});

it('says which methods an address takes', () => {
  expect(router.methods('/items/new')).toEqual(['GET', 'POST', 'DELETE']);
  expect(router.methods('/items/7/parts')).toEqual([]);
});

it('has one name for one part of an address', () => {
  expect(() => router.add('GET', '/items/:number', '')).toThrow(/id and number/);
});
