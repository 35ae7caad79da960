import { mkdir } from 'node:fs/promises';
import { systemClock } from '@amplifier/core';
import type { Scope } from '../auth/scope.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';
import { loadToken } from '../auth/token.js';
import { checkListed, type DaemonHome, deploymentPlaces, type Environment, readConfig } from '../config.js';
import { placeRecordOf } from '../lifecycle/place-record.js';
import { Audit } from '../tenants/audit.js';
import { askHealth } from './ask-health.js';
import { stopRunning } from './stop-running.js';
import { syncRunning } from './sync-running.js';

/** A program with commands around a server: `amplifierd`, or `amplifier serve`. */
export interface ServerProgram {
  home: DaemonHome;
  environment: Environment;
  print(line: string): void;
  /** For what is no result. */
  say(line: string): void;
}

/** What the commands around a server do. Each returns the exit code. */
export const serverCommands = {
  /** Says whether the server of the home is running, where, and what is amiss with it. */
  async status({ home, environment, print }: ServerProgram): Promise<number> {
    const health = await askHealth(home, environment);
    if (!health) {
      print('not running');
      return 3;
    }
    const { running, unready, problems } = health;
    print(`running: process ${running.pid}, ${running.url}, since ${running.started_at}`);
    for (const line of [unready === null ? [] : [`not ready: ${unready}`], problems].flat()) print(line);
    return 0;
  },

  async stop({ home, environment, print }: ServerProgram): Promise<number> {
    print(await stopRunning(await placeRecordOf(home, environment)));
    return 0;
  },

  /** Prints the token that may do everything. */
  async token({ home, environment, print }: ServerProgram): Promise<number> {
    await mkdir(home.home, { recursive: true, mode: 0o700 });
    print((await loadToken(home, environment)).token);
    return 0;
  },

  /** Makes a token that may do less. */
  async createToken(
    { home, environment, print, say }: ServerProgram,
    { scope, name, tenant }: { scope: Scope; name: string | null; tenant?: string | undefined },
  ): Promise<number> {
    const { tenants } = tenant === undefined ? { tenants: {} } : await readConfig(home, environment);
    const whose = tenant === undefined ? {} : { tenant: checkListed(tenants, tenant) };
    const made = await (await tokensOf(home, environment)).create({ scope, name, ...whose }, systemClock);
    print(made.token);
    const of = tenant === undefined ? '' : ` of ${tenant}`;
    say(`Token ${made.record.id}${of}, scope ${scope}. It is not shown again.`);
    return 0;
  },

  async listTokens({ home, environment, print }: ServerProgram): Promise<number> {
    for (const { id, scope, created_at, name, tenant } of await (await tokensOf(home, environment)).list())
      print([id, scope.padEnd(5), created_at, tenant, name].filter(Boolean).join('  '));
    return 0;
  },

  async revokeToken({ home, environment, print }: ServerProgram, id: string): Promise<number> {
    await (await tokensOf(home, environment)).revoke(id);
    print(`revoked: ${id}`);
    return 0;
  },

  /** Says who changed what, newest first. */
  async audit(
    { home, environment, print }: ServerProgram,
    wish: { limit: number; tenant?: string },
  ): Promise<number> {
    const { record } = await placeRecordOf(home, environment);
    const { audit, release } = await Audit.open(record, systemClock, Number.POSITIVE_INFINITY);
    try {
      const lines = await (wish.tenant === undefined ? audit : audit.of(wish.tenant)).list(wish);
      for (const { time, tenant, caller, operation, target, outcome } of lines)
        print([time, tenant || '-', caller, outcome || '?', operation, target].join('  '));
    } finally {
      await release();
    }
    return 0;
  },

  /**
   * Shows modules that changed since sessions of this deployment first used them, and trusts them as they are now. Without `agree`
   * nothing is trusted.
   */
  async trust(
    { home, environment, print, say }: ServerProgram,
    agree: ((question: string) => Promise<boolean>) | null,
  ): Promise<number> {
    const { deploymentProject, reviewDeployment, trustDeployment } = await import('@amplifier/host');
    const report = ({ message }: { message: string }) => say(message);
    const project = deploymentProject(deploymentPlaces(home), { environment, report });
    const review = await reviewDeployment(project);
    for (const problem of review.problems) say(problem);
    for (const { found, changed } of review.changed)
      for (const file of changed.length > 0 ? changed : [found.entry])
        print(`changed, loaded by ${found.module_id}: ${file}`);
    for (const { source, newer } of review.held)
      print(`changed, is at revision ${newer.slice(0, 12)}: ${source}`);
    if (review.changed.length + review.held.length === 0) {
      say('No module has changed since it was trusted.');
      return review.problems.length > 0 ? 1 : 0;
    }
    if (agree === null) return 1;
    if (!(await agree('Trust these modules as they are now?'))) {
      say('Not trusted.');
      return 1;
    }
    await trustDeployment(project, review);
    const trusted = [
      ...review.changed.map(({ found }) => found.module_id),
      ...review.held.map(({ source }) => source),
    ];
    say(`Trusted: ${trusted.join(', ')}`);
    return 0;
  },

  /** Syncs collections through the running server. */
  async sync(
    { home, environment }: ServerProgram,
    wish: { collection: string | undefined; update: boolean },
  ): Promise<number> {
    return syncRunning(await placeRecordOf(home, environment), environment, wish);
  },
};

/** They are in the record, which may be on a server. */
async function tokensOf(home: DaemonHome, environment: Environment): Promise<ScopedTokens> {
  const { record, state } = await placeRecordOf(home, environment);
  await mkdir(state, { recursive: true, mode: 0o700 });
  return new ScopedTokens(record);
}
