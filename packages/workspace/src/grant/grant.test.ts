import type { CapabilityOf } from '@amplifier/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, checkGrant } from './check-grant.js';
import { explainGrant } from './explain-grant.js';
import { FULL_GRANT, Grant, intersectGrants, READ_ONLY_GRANT } from './grant.js';
import { pathScope } from './path-scope.js';

const segment = fc.constantFrom('a', 'b', 'aa', '..a', 'ä');
const path = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
const pattern = fc.constantFrom('/**/b', '/a/*', '/a/**/aa', '/*/..a', '/ä');
const scope = fc
  .tuple(
    fc.array(path, { maxLength: 3 }),
    fc.array(path, { maxLength: 2 }),
    fc.array(pattern, { maxLength: 2 }),
    fc.array(path, { maxLength: 2 }),
    fc.array(path, { maxLength: 1 }),
  )
  .map(([allow, deny, deny_globs, deny_except, refuse_start_up]) =>
    pathScope(allow, deny, { deny_globs, deny_except, refuse_start_up }),
  );
const grant: fc.Arbitrary<Grant> = fc.record({
  version: fc.constant(1 as const),
  read: scope,
  write: scope,
  exec: fc.constantFrom('none' as const, 'confined' as const, 'free' as const),
  network: fc.constantFrom(false, 'tools' as const, true),
  delegate: fc.boolean(),
  spend: fc.constantFrom(null, '0', '0.5', '0.50', '10.25'),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constantFrom('read' as const, 'write' as const), path }),
  fc.record({ kind: fc.constant('exec' as const), confined: fc.boolean() }),
  fc.constantFrom<Action>({ kind: 'network' }, { kind: 'delegate' }),
  fc.record({ kind: fc.constant('spend' as const), amount: fc.constantFrom('0', '0.4', '0.5', '3', '99') }),
);

describe('intersecting grants', () => {
  it('allows exactly what both sides allow: it never adds and never loses', () => {
    fc.assert(
      fc.property(grant, grant, action, (a, b, wanted) => {
        const both = checkGrant(a, wanted).allowed && checkGrant(b, wanted).allowed;
        expect(checkGrant(intersectGrants(a, b), wanted).allowed).toBe(both);
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on order or grouping, and repeating changes nothing', () => {
    fc.assert(
      fc.property(grant, grant, grant, (a, b, c) => {
        const all = intersectGrants(a, b, c);
        expect(intersectGrants(c, b, a)).toEqual(all);
        expect(intersectGrants(a, intersectGrants(b, c))).toEqual(all);
        expect(intersectGrants(all, all)).toEqual(all);
        expect(intersectGrants(all, FULL_GRANT)).toEqual(all);
      }),
    );
  });

  it('leaves its inputs as they were', () => {
    fc.assert(
      fc.property(grant, grant, (a, b) => {
        const before = structuredClone([a, b]);
        intersectGrants(a, b);
        expect([a, b]).toEqual(before);
      }),
    );
  });

  it('survives a trip through the launch record', () => {
    fc.assert(
      fc.property(grant, (a) => {
        expect(Grant.parse(JSON.parse(JSON.stringify(a)))).toEqual(a);
      }),
    );
  });
});

describe('checking a grant', () => {
  const writer: Grant = { ...READ_ONLY_GRANT, write: pathScope(['/project'], ['/project/.git']) };

  it.each([
    ['/project', true],
    ['/project/src/a.ts', true],
    ['/project/src/../b.ts', true],
    ['/project/..b', true],
    ['/project-evil/a', false],
    ['/project/../etc/passwd', false],
    ['/project/.git/config', false],
    ['/project/src/../.git/hooks', false],
    ['/project/.gitignore', true],
    ['project/a', false],
    ['/project/a\0b', false],
  ])('decides on writing %j', (place, allowed) => {
    const decision = checkGrant(writer, { kind: 'write', path: place });
    expect(decision.allowed).toBe(allowed);
    expect(decision.because).not.toContain('\0');
  });

  it.each([
    ['/trees/mine/a', true],
    ['/trees/mine', true],
    ['/trees/other/a', false],
    ['/trees/mine/.ssh/key', false],
    ['/trees/mine-too', false],
  ])('decides by the nearest of denied places and exceptions on %j', (place, allowed) => {
    const own = pathScope(['/'], ['/trees', '/trees/mine/.ssh'], { deny_except: ['/trees/mine'] });
    expect(checkGrant({ ...FULL_GRANT, read: own }, { kind: 'read', path: place }).allowed).toBe(allowed);
  });

  it('says what decided', () => {
    expect(checkGrant(writer, { kind: 'write', path: '/etc/passwd' }).because).toBe(
      'Writing /etc/passwd is not allowed: it is outside /project.',
    );
    expect(checkGrant(READ_ONLY_GRANT, { kind: 'network', host: 'example.com' }).because).toBe(
      'Reaching example.com is not allowed: the session has no network. It can be given one when it is started, with network (--network).',
    );
  });

  it('lets confined exec run only in the sandbox', () => {
    const confined: Grant = { ...READ_ONLY_GRANT, exec: 'confined' };
    expect(checkGrant(confined, { kind: 'exec', confined: true }).allowed).toBe(true);
    expect(checkGrant(confined, { kind: 'exec', confined: false }).because).toContain('bubblewrap');
  });

  it('runs nothing without a sandbox that is to stay off the network', () => {
    for (const network of [false, 'tools'] as const) {
      const grant: Grant = { ...FULL_GRANT, network };
      expect(checkGrant(grant, { kind: 'exec', confined: true }).allowed).toBe(true);
      expect(checkGrant(grant, { kind: 'exec', confined: false }).because).toContain('--network');
    }
  });

  it('compares money exactly', () => {
    const limited: Grant = { ...READ_ONLY_GRANT, spend: '0.30' };
    expect(checkGrant(limited, { kind: 'spend', amount: '0.3' }).allowed).toBe(true);
    expect(checkGrant(limited, { kind: 'spend', amount: '0.3000000000000000001' }).allowed).toBe(false);
  });
});

it('is known to the kernel as a capability', () => {
  const grant: CapabilityOf<'session.grant'> = READ_ONLY_GRANT;
  expect(Grant.parse(grant)).toEqual(READ_ONLY_GRANT);
});

it('explains the own part of a denied folder', () => {
  const write = pathScope(['/'], ['/trees'], { deny_except: ['/trees/mine'] });
  expect(explainGrant({ ...FULL_GRANT, write })).toContain(
    'write: everything, except /trees (but not /trees/mine)',
  );
});

it('explains a grant in words', () => {
  const grant: Grant = {
    ...FULL_GRANT,
    write: pathScope(['/project'], ['/project/.git']),
    exec: 'confined',
    spend: '2.50',
  };
  expect(explainGrant(grant)).toBe(
    [
      'read: everything',
      'write: /project, except /project/.git',
      'run commands: only inside the OS sandbox',
      'network: allowed',
      'delegate: allowed',
      'spend: at most 2.50 USD',
    ].join('\n'),
  );
});
