import { systemClock } from '@amplifier/core';
import { SqlShelf } from '@amplifier/sessions';
import fc from 'fast-check';
import { SCOPES, type Scope } from '../src/auth/scope.js';
import { ScopedTokens } from '../src/auth/scoped-tokens.js';
import type { TestDaemon } from './test-daemon.js';

/** What the store of tokens does when it is asked. */
const Store = fc.constantFrom('well', 'well', 'well', 'throw', 'reject', 'damaged', 'nothing', 'hang');
/** What stands where the token should. */
const Given = fc.constantFrom(
  'as it is',
  'as it is',
  'as it is',
  'one letter off',
  'cut',
  'twice',
  'of another id',
  'revoked',
  'over',
  'of a revoked maker',
  'of a browser',
  'in the address',
  'none',
  'basic',
);

export const ScopeTrial = fc.record({
  scope: fc.constantFrom(...SCOPES),
  store: Store,
  given: Given,
  /** Which operation of the API, as a part of all of them. */
  operation: fc.double({ min: 0, max: 0.999, noNaN: true }),
  body: fc.jsonValue({ maxDepth: 2 }),
});
type ScopeTrial = typeof ScopeTrial extends fc.Arbitrary<infer Trial> ? Trial : never;

interface Operation {
  method: string;
  path: string;
  needs: Scope;
}

/** A daemon that is asked for any of its operations with tokens of all kinds, while their store does as the trial says. */
export class ScopeScene {
  readonly #daemon: TestDaemon;
  readonly #operations: Operation[];
  readonly #tokens: ScopedTokens;

  private constructor(daemon: TestDaemon, operations: Operation[]) {
    this.#daemon = daemon;
    this.#operations = operations;
    this.#tokens = new ScopedTokens(daemon.record);
  }

  static async open(daemon: TestDaemon): Promise<ScopeScene> {
    const { body } = await daemon.get('/openapi.json');
    type Described = { security?: object[]; description?: string };
    const operations = Object.entries(body.paths as Record<string, Record<string, Described>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).flatMap(([method, { security, description = '' }]) => {
          const needs = /Needs the scope `(\w+)`/.exec(description)?.[1] as Scope;
          // What is open to everybody is no guard's, and a stream has no end to wait for.
          const isLeftOut = security?.length === 0 || path === '/api/v1/live';
          return isLeftOut ? [] : [{ method: method.toUpperCase(), path, needs }];
        }),
    );
    return new ScopeScene(daemon, operations);
  }

  /** The status that a request got, and whether it may have got past the guard. */
  async run(trial: ScopeTrial): Promise<{ isIn: boolean; mayBeIn: boolean; status: number }> {
    const operation = this.#operations[Math.floor(trial.operation * this.#operations.length)] as Operation;
    const { authorization, query } = await this.#credentials(trial);
    const path = operation.path.replace(/\{\w+\}/g, 'nobody') + query;
    const restore = spoil(trial.store);
    try {
      const { status } = await this.#daemon.call(
        operation.method,
        path,
        operation.method === 'GET' ? undefined : trial.body,
        { headers: { authorization } },
      );
      const isWell = trial.store === 'well' && trial.given === 'as it is';
      const mayBeIn = isWell && SCOPES.indexOf(trial.scope) >= SCOPES.indexOf(operation.needs);
      // A store that fails is told as such; nothing else may be. One that is slow is told by 503.
      const isFailing = trial.store === 'throw' || trial.store === 'reject';
      const refusals = isFailing ? [401, 403, 500, 503] : [401, 403, 503];
      return { isIn: !refusals.includes(status), mayBeIn, status };
    } finally {
      restore();
    }
  }

  async #credentials({ scope, given }: ScopeTrial): Promise<{ authorization: string; query: string }> {
    const make = async (more: object = {}) => this.#tokens.create({ scope, ...more }, systemClock);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}`, query: '' });
    if (given === 'over') return bearer((await make({ expires_at: '2020-01-01T00:00:00.000Z' })).token);
    if (given === 'of a browser') return bearer((await make({ kind: 'browser' })).token);
    const { token, record } = await make();
    if (given === 'one letter off') return bearer(token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x'));
    if (given === 'cut') return bearer(token.slice(0, -1));
    if (given === 'twice') return bearer(token + token);
    if (given === 'of another id') return bearer(token.replace(record.id, (await make()).record.id));
    if (given === 'in the address') return { authorization: '', query: `?token=${token}` };
    if (given === 'none') return { authorization: '', query: '' };
    if (given === 'basic') return { authorization: `Basic ${token}`, query: '' };
    const made = given === 'of a revoked maker' ? (await make({ made_by: record.id })).token : token;
    if (given !== 'as it is') await this.#tokens.revoke(record.id);
    return bearer(made);
  }
}

/** Lets the look-up of tokens fail. What it returns makes it well again. */
function spoil(store: ScopeTrial['store']): () => void {
  const get = SqlShelf.prototype.get;
  if (store === 'well') return () => {};
  SqlShelf.prototype.get = function <T>(this: SqlShelf, kind: string, id: string): Promise<T | null> {
    if (kind !== 'token') return get.call(this, kind, id) as Promise<T | null>;
    if (store === 'throw') throw new Error('The record cannot be read.');
    if (store === 'hang') return new Promise(() => {});
    if (store === 'reject') return Promise.reject(new Error('The record cannot be read.'));
    return Promise.resolve(store === 'nothing' ? null : ({ id, scope: 'admin', sha256: '' } as T));
  };
  return () => {
    SqlShelf.prototype.get = get;
  };
}
