import { readdir } from 'node:fs/promises';
import { seededRandom } from '@amplifier/testkit';
import { expect } from 'vitest';
import type { TestDaemon } from './test-daemon.js';

type Random = () => number;
// biome-ignore lint/suspicious/noExplicitAny: pieces of a JSON document
type Schema = any;

const STRANGE: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '../../../etc/passwd',
  '..',
  '/etc/passwd',
  'a\u0000b',
  '\ud800',
  '💥'.repeat(50),
  '${HOME}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'x'.repeat(5_000),
  [],
  {},
  [[]],
  { __proto__: 1 },
  ['active'],
  'foundation/base',
  'file:///etc/passwd',
  'git+https://127.0.0.1/x',
  'http://169.254.169.254/',
  // What a program could take for an option, and addresses that are none.
  '-oProxyCommand=touch x',
  'git+https://x@-oProxyCommand=touch%20x/y',
  'git+ssh://-oProxyCommand=touch/y',
  'git+ssh://%2doProxyCommand=touch/y',
  'git+https://host/repo@-upload-pack=touch',
  'git+https://[',
  'git+https://host:99999/x',
  'https://%zz/',
  'https://host/%zz',
  'zip+https://',
  'npm:-rf',
  'npm:@-x/y',
  '#subdirectory=%zz',
  '(a+)+$',
  '{{constructor}}',
  '2024-13-45T99:99:99Z',
  '99999999999999999999',
  'bundled:../..',
  'session_none',
  '\r\nX-Injected: 1',
  '-1',
  'NaN',
  Number.MAX_SAFE_INTEGER,
  { a: { b: [null, { c: '-x' }] } },
];

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** A value that often fits the schema and often does not. */
function valueFor(schema: Schema, document: Schema, random: Random, depth = 0): unknown {
  if (random() < 0.25 || depth > 6 || !schema) return pick(random, STRANGE);
  if (schema.$ref)
    return valueFor(document.components.schemas[schema.$ref.split('/').at(-1)], document, random, depth + 1);
  if (schema.enum) return pick(random, schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return valueFor(pick(random, options), document, random, depth + 1);
  const type = Array.isArray(schema.type) ? pick(random, schema.type as string[]) : schema.type;
  if (type === 'object') return objectFor(schema, document, random, depth);
  if (type === 'array')
    return Array.from({ length: Math.floor(random() * 3) }, () =>
      valueFor(schema.items, document, random, depth + 1),
    );
  if (type === 'integer' || type === 'number') return pick(random, [0, 1, 30, -1, 2 ** 53]);
  if (type === 'boolean') return random() < 0.5;
  return pick(random, ['user', 'foundation/base', 'x', schema.example ?? 'y']);
}

function objectFor(schema: Schema, document: Schema, random: Random, depth: number): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    if (random() < 0.7) made[key] = valueFor(member, document, random, depth + 1);
  }
  if (random() < 0.2)
    made[pick(random, ['__proto__', 'constructor', 'toString', 'é', ''])] = pick(random, STRANGE);
  return made;
}

/** A body as text: mostly JSON of some shape, sometimes no JSON at all. */
function bodyFor(schema: Schema, document: Schema, random: Random): string {
  const kind = random();
  if (kind < 0.04) return '{"a":'.repeat(2_000);
  if (kind < 0.08) return `{"a":1,"a":{"b":2},"a":${JSON.stringify(pick(random, STRANGE))}}`;
  if (kind < 0.1) return '\ufeff{"profile_id":"foundation/base"}';
  if (kind < 0.12) return 'not json';
  return JSON.stringify(valueFor(schema, document, random)) ?? 'null';
}

export interface FuzzResult {
  requests: number;
  operations: number;
  statuses: Record<string, number>;
}

/**
 * Sends strange requests to every operation of the OpenAPI document. None may be answered with 500, show a stack, or
 * leave a file outside of the home.
 */
export async function fuzzApi(
  daemon: TestDaemon,
  { rounds, seed }: { rounds: number; seed: number },
): Promise<FuzzResult> {
  const random = seededRandom(seed);
  const { body: document } = await daemon.get('/openapi.json');
  const before = await readdir(daemon.workspace.path);
  const statuses: Record<string, number> = {};
  const operations = Object.entries<Record<string, Schema>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  let requests = 0;
  for (let round = 0; round < rounds; round++) {
    const ids = ((await daemon.get('/api/v1/sessions?limit=20')).body as { session_id: string }[]).map(
      (each) => each.session_id,
    );
    for (const { path, method, operation } of operations) {
      const query = new URLSearchParams();
      let address = path;
      for (const { name, in: place, schema } of operation.parameters ?? []) {
        const value =
          name === 'session_id' && place === 'path' && ids.length > 0 && random() < 0.6
            ? pick(random, ids)
            : valueFor(schema, document, random);
        const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
        if (place === 'path')
          address = address.replace(
            `{${name}}`,
            encodeURIComponent(text).replaceAll('.', random() < 0.5 ? '%2e' : '.') || 'x',
          );
        else if (random() < 0.6) query.append(name, text);
      }
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      const raw = schema
        ? bodyFor(schema, document, random)
        : method === 'post' && random() < 0.3
          ? 'x'
          : undefined;
      const answer = await daemon.call(
        method.toUpperCase(),
        `${address}?${query}`,
        undefined,
        raw === undefined ? {} : { raw, headers: { 'content-type': 'application/json' } },
      );
      requests++;
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const what = `${method} ${address}?${query} ${raw ?? ''} → ${answer.text.slice(0, 500)}`;
      expect(answer.status, what).toBeLessThan(500);
      expect(answer.text, what).not.toMatch(/\n\s+at \S+ \(|node_modules|\.ts:\d+/);
      if (answer.status >= 400) expect(answer.body?.code, what).toEqual(expect.any(String));
    }
  }
  expect(await readdir(daemon.workspace.path)).toEqual(before);
  expect((await daemon.get('/healthz')).status).toBe(200);
  return { requests, operations: operations.length, statuses };
}
