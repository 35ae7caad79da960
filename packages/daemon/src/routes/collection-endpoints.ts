import { DaemonError } from '../daemon-error.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { flag } from '../http/paging.js';
import { collectGarbage } from '../profiles/collect-garbage.js';
import { collectionExists, type RegisteredCollection } from '../profiles/collection-registry.js';
import { LOCAL_COLLECTION, type SyncOptions, SyncReport } from '../profiles/collection-sync.js';
import { checkName, profileId } from '../profiles/profile-names.js';
import type { Services } from '../services.js';

const api = endpoints({ tag: 'collections' });

const CollectionInfo = z
  .object({
    identifier: z.string(),
    source: z.string(),
    installed_at: z.string().nullable(),
    profiles: z.array(z.string()),
  })
  .openapi('CollectionInfo');

const SyncResult = z
  .object({ ...SyncReport.shape, removed_versions: z.array(z.string()) })
  .openapi('SyncResult');

const SyncBody = z.object({
  collection_id: z.string().max(100).nullish(),
  update: z.boolean().optional().openapi({ description: 'Check git and http sources for updates.' }),
});

/** Collections over REST. */
export function collectionEndpoints(): Endpoint[] {
  const info = async ({ profiles }: Services, { id, source, installed_at }: RegisteredCollection) => ({
    identifier: id,
    source,
    installed_at,
    profiles: (await profiles.list(id)).map(profileId),
  });

  const run = async ({ sync, profiles, store }: Services, options: SyncOptions) => {
    const report = await sync.sync(options);
    return { ...report, removed_versions: await collectGarbage(profiles, store) };
  };

  /** Line by line for whoever wants to watch, else all at the end. */
  const answer = (services: Services, options: SyncOptions, accept: string | undefined) => {
    if (!accept?.includes('application/x-ndjson')) return run(services, options).then((body) => ({ body }));
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        const say = (line: object) => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        try {
          const report = await run(services, { ...options, onProgress: (progress) => say({ progress }) });
          say({ result: report });
        } catch (error) {
          say({ error: { message: (error as Error).message } });
        }
        controller.close();
      },
    });
    return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } });
  };

  return [
    api.get('/api/v1/collections', {
      summary: 'List collections',
      success: { status: 200, description: 'All that are registered.', schema: z.array(CollectionInfo) },
      errors: ['REGISTRY_UNREADABLE'],
      async handle({ services }) {
        const all = await services.sync.collections();
        return { body: await Promise.all(all.map((each) => info(services, each))) };
      },
    }),
    api.post('/api/v1/collections', {
      scope: 'admin',
      summary: 'Register a collection and sync it',
      body: z
        .object({ identifier: z.string().max(100), source: z.string().min(1).max(2_000) })
        .openapi('NewCollection', {
          example: { identifier: 'acme', source: 'git+https://example.org/acme/profiles@main' },
        }),
      success: {
        status: 201,
        description: 'Registered.',
        schema: CollectionInfo.extend({ profile_count: z.int(), problems: SyncReport.shape.problems }),
      },
      errors: [
        'INVALID_ID',
        'COLLECTION_EXISTS',
        'INVALID_SOURCE',
        'REF_RESOLUTION_FAILED',
        'REGISTRY_UNREADABLE',
      ],
      async handle({ body, services }) {
        const { registry, sync } = services;
        const id = checkName('collection', body.identifier);
        if (id === LOCAL_COLLECTION)
          throw new DaemonError('COLLECTION_EXISTS', `${id} is the collection of your own profiles.`);
        if ((await registry.list()).some((each) => each.id === id)) throw collectionExists(id);
        // A source that cannot be fetched is not registered.
        await sync.root({ id, source: body.source, installed_at: null }, { update: true });
        const added = await registry.add(id, body.source);
        const report = await sync.sync({ collection_id: id });
        const described = await info(services, added);
        return {
          body: { ...described, profile_count: described.profiles.length, problems: report.problems },
          headers: { location: `/api/v1/collections/${id}` },
        };
      },
    }),
    api.post('/api/v1/collections/sync', {
      scope: 'admin',
      summary: 'Sync all collections, or one',
      description:
        'Finds and compiles their profiles. With "Accept: application/x-ndjson" it streams progress line by line.',
      query: z.object({ update: flag.optional() }),
      body: SyncBody,
      success: { status: 200, description: 'The result of each.', schema: SyncResult },
      errors: ['COLLECTION_NOT_FOUND', 'INVALID_ID', 'REGISTRY_UNREADABLE'],
      async handle({ body, query, context, services }) {
        const collection_id = body.collection_id
          ? (await services.sync.collection(body.collection_id)).id
          : undefined;
        return answer(
          services,
          { collection_id, update: body.update ?? query.update },
          context.req.header('accept'),
        );
      },
    }),
    api.get('/api/v1/collections/component-refs', {
      summary: 'List every ref that profiles use, by kind',
      success: {
        status: 200,
        description: 'Refs with the profiles that use them.',
        schema: z.record(
          z.string(),
          z.array(z.object({ name: z.string(), ref: z.string().nullable(), profile_id: z.string() })),
        ),
      },
      async handle({ services: { profiles } }) {
        const refs: Record<string, { name: string; ref: string | null; profile_id: string }[]> = {};
        for (const id of await profiles.list()) {
          const { lock } = await profiles.load(id);
          for (const { kind, name, ref } of lock.resources) {
            refs[kind] ??= [];
            refs[kind]?.push({ name, ref, profile_id: lock.profile_id });
          }
        }
        return { body: refs };
      },
    }),
    api.get('/api/v1/collections/{collection}', {
      summary: 'Get a collection',
      success: { status: 200, description: 'With its profiles.', schema: CollectionInfo },
      errors: ['COLLECTION_NOT_FOUND'],
      handle: async ({ params: { collection }, services }) => ({
        body: await info(services, await services.sync.collection(collection)),
      }),
    }),
    api.post('/api/v1/collections/{collection}/sync', {
      scope: 'admin',
      summary: 'Sync one collection',
      body: SyncBody.omit({ collection_id: true }),
      success: { status: 200, description: 'The result.', schema: SyncResult },
      errors: ['COLLECTION_NOT_FOUND', 'REGISTRY_UNREADABLE'],
      async handle({ params: { collection }, body, context, services }) {
        const { id } = await services.sync.collection(collection);
        return answer(services, { collection_id: id, update: body.update }, context.req.header('accept'));
      },
    }),
    api.get('/api/v1/collections/{collection}/profiles', {
      summary: 'List the profiles of a collection',
      success: { status: 200, description: 'Their ids.', schema: z.array(z.string()) },
      errors: ['COLLECTION_NOT_FOUND'],
      handle: async ({ params: { collection }, services }) => ({
        body: (await info(services, await services.sync.collection(collection))).profiles,
      }),
    }),
    api.delete('/api/v1/collections/{collection}', {
      scope: 'admin',
      summary: 'Unregister a collection and its profiles',
      success: {
        status: 204,
        description: 'Deleted. Sessions planned from its profiles keep what they need.',
      },
      errors: ['COLLECTION_NOT_FOUND', 'PROFILE_READ_ONLY', 'REGISTRY_UNREADABLE'],
      async handle({ params: { collection }, services: { registry, sync, profiles, store } }) {
        const { id } = await sync.collection(collection);
        if (id === LOCAL_COLLECTION)
          throw new DaemonError(
            'PROFILE_READ_ONLY',
            `${id} is the collection of your own profiles and cannot be removed.`,
          );
        await registry.remove(id);
        for (const profile of await profiles.list(id)) await profiles.withdraw(profile);
        await collectGarbage(profiles, store);
        return {};
      },
    }),
  ];
}
