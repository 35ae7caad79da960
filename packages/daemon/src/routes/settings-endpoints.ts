import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { redactSecrets } from '@amplifier/core';
import type { ProviderReading } from '@amplifier/host';
import { DaemonError } from '../daemon-error.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import type { Services } from '../services.js';

const api = endpoints({ tag: 'settings' });
const freeForm = z.record(z.string(), z.unknown());
const folder = z.object({ working_dir: z.string().max(4_000).optional() });

const ProviderView = z
  .object({
    name: z.string(),
    module: z.string(),
    usable: z.boolean(),
    default_model: z.string().nullable(),
    problem: z.string().nullable(),
  })
  .openapi('Provider');

/** What applies, and from which file; the providers, and whether they answer. */
export function settingsEndpoints(): Endpoint[] {
  const readings = async (
    { home, runtime, folders }: Services,
    working_dir: string | undefined,
  ): Promise<readonly ProviderReading[]> =>
    home.isUsers ? (await runtime.hosts.in(await folders.allowed(working_dir))).readings : [];
  return [
    api.get('/api/v1/settings', {
      summary: 'Get the effective settings and their files, without secrets',
      scope: 'admin',
      query: folder,
      success: {
        status: 200,
        description: 'Later files override earlier ones.',
        schema: z
          .object({
            home: z.string(),
            folder: z.string().nullable(),
            trust: z.string().nullable().openapi({ description: 'Whether the folder is trusted.' }),
            files: z.array(
              z.object({ scope: z.string(), path: z.string(), exists: z.boolean(), says: freeForm }),
            ),
            settings: freeForm,
            daemon: freeForm.openapi({ description: 'How the daemon itself is configured.' }),
          })
          .openapi('Settings'),
      },
      errors: ['INVALID_WORKING_DIR', 'CONFIGURATION_INVALID'],
      async handle({ query: { working_dir }, services: { home, config, environment, folders } }) {
        const daemon = redactSecrets({ ...config }) as Record<string, unknown>;
        const own = { scope: 'daemon', path: join(home.config, 'daemon.yaml') };
        const base = { home: home.home, daemon };
        if (!home.isUsers) {
          const files = [{ ...own, exists: existsSync(own.path), says: {} }];
          return { body: { ...base, folder: null, trust: null, files, settings: {} } };
        }
        const { hostPaths, readSettings, SETTINGS_SCOPES } = await import('@amplifier/host');
        const cwd = await folders.allowed(working_dir);
        const paths = hostPaths(cwd, environment);
        const { settings, scopes, trust } = await readSettings(paths);
        const files = SETTINGS_SCOPES.map((scope) => ({
          scope,
          path: paths.settings[scope],
          exists: existsSync(paths.settings[scope]),
          says: redactSecrets({ ...scopes[scope] }) as Record<string, unknown>,
        }));
        return {
          body: {
            ...base,
            folder: cwd,
            trust: trust.state,
            files: [...files, { ...own, exists: existsSync(own.path), says: {} }],
            settings: redactSecrets({ ...settings }) as Record<string, unknown>,
          },
        };
      },
    }),
    api.get('/api/v1/providers', {
      summary: 'List the model providers, and why one is not usable',
      query: folder,
      success: { status: 200, description: 'In order of priority.', schema: z.array(ProviderView) },
      errors: ['INVALID_WORKING_DIR', 'CONFIGURATION_INVALID'],
      handle: async ({ query: { working_dir }, services }) => ({
        body: (await readings(services, working_dir)).map(providerView),
      }),
    }),
    api.post('/api/v1/providers/{provider}/test', {
      summary: 'Make one short call to a provider',
      description: 'It costs a few tokens.',
      scope: 'admin',
      params: z.object({ provider: z.string().max(200) }),
      body: z.object({
        working_dir: z.string().max(4_000).optional(),
        model: z.string().max(200).optional(),
      }),
      success: {
        status: 200,
        description: 'The result.',
        schema: z.object({ name: z.string(), configured: z.boolean(), ok: z.boolean(), detail: z.string() }),
      },
      errors: ['PROVIDER_NOT_FOUND', 'INVALID_WORKING_DIR', 'CONFIGURATION_INVALID'],
      async handle({ params: { provider }, body: { working_dir, model }, services }) {
        const found = (await readings(services, working_dir)).find(
          ({ name, spec }) =>
            name === provider || spec.module === provider || spec.module === `provider-${provider}`,
        );
        if (!found)
          throw new DaemonError(
            'PROVIDER_NOT_FOUND',
            `No provider is called '${provider}'. GET /api/v1/providers lists them.`,
          );
        const { tryProvider } = await import('@amplifier/host');
        return { body: await tryProvider(found, model) };
      },
    }),
  ];
}

function providerView({ name, spec, provider, problem }: ProviderReading): z.infer<typeof ProviderView> {
  return {
    name,
    module: spec.module,
    usable: provider !== null,
    default_model: provider?.defaultModel ?? null,
    problem,
  };
}
