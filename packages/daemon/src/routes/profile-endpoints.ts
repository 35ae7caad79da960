import { DaemonError } from '../daemon-error.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { checkIfMatch, etag, isNotModified } from '../http/etag.js';
import { LOCAL_COLLECTION } from '../profiles/collection-sync.js';
import { sha256 } from '../profiles/copy-source.js';
import { discoverProfiles } from '../profiles/discover-profiles.js';
import { checkName, type ProfileId, parseProfileId, profileId } from '../profiles/profile-names.js';
import { notFound } from '../profiles/profile-store.js';
import { ProfileDetails, ProfileInfo, profileDetails, profileInfo } from '../profiles/profile-view.js';
import type { Services } from '../services.js';

const api = endpoints({ tag: 'profiles' });
const freeForm = z.record(z.string(), z.unknown());
/** Why what was written cannot be compiled. */
const COMPILE_ERRORS = [
  'PROFILE_INVALID',
  'DUPLICATE_MODULE',
  'RESOURCE_MISSING',
  'REF_RESOLUTION_FAILED',
  'INVALID_SOURCE',
] as const;

/** Profiles over REST. */
export function profileEndpoints(): Endpoint[] {
  /** Compiles what was just written, and says so when it cannot be used. */
  const compile = async ({ sync }: Services, id: ProfileId) => {
    const report = await sync.compile(id);
    const [problem] = report.problems.filter(
      (each) => each.profile === profileId(id) || each.profile === `${id.profile}.md`,
    );
    if (problem) throw new DaemonError(refusal(problem.code), problem.message);
    return report;
  };

  return [
    api.get('/api/v1/profiles', {
      summary: 'List profiles',
      query: z.object({ collection: z.string().optional() }),
      success: { status: 200, description: 'All that are compiled.', schema: z.array(ProfileInfo) },
      async handle({ query, services }) {
        const ids = await services.profiles.list(
          query.collection === undefined ? undefined : checkName('collection', query.collection),
        );
        return { body: await Promise.all(ids.map((id) => profileInfo(services, id))) };
      },
    }),
    api.post('/api/v1/profiles', {
      scope: 'admin',
      summary: `Write a profile of the collection ${LOCAL_COLLECTION}`,
      body: z
        .object({ name: z.string().max(100), manifest: z.string().max(1_000_000) })
        .openapi('NewProfile', {
          example: {
            name: 'mine',
            manifest: '---\nprofile:\n  name: mine\n  version: 0.1.0\n  schema_version: 2\n---\nYou help.\n',
          },
        }),
      success: { status: 201, description: 'Written and compiled.', schema: ProfileDetails },
      errors: ['INVALID_ID', 'PROFILE_EXISTS', ...COMPILE_ERRORS],
      async handle({ body, services }) {
        const { local } = services;
        const id = { collection: LOCAL_COLLECTION, profile: checkName('profile', body.name) };
        await local.create(id.profile, body.manifest);
        try {
          await compile(services, id);
        } catch (error) {
          await local.remove(id);
          throw error;
        }
        return {
          body: await profileDetails(services, id),
          headers: { location: `/api/v1/profiles/${profileId(id)}` },
        };
      },
    }),
    api.get('/api/v1/profiles/active', {
      summary: 'Get the active profile',
      success: {
        status: 200,
        description: 'Null when none is.',
        schema: z.object({ profile_id: z.string().nullable() }),
      },
      handle: async ({ services: { active } }) => ({ body: { profile_id: await active.get() } }),
    }),
    api.put('/api/v1/profiles/active', {
      scope: 'admin',
      summary: 'Choose the active profile',
      body: z.object({ profile_id: z.string().max(300) }),
      success: { status: 200, description: 'Chosen.', schema: z.object({ profile_id: z.string() }) },
      errors: ['PROFILE_NOT_FOUND', 'INVALID_ID'],
      handle: async ({ body, services: { active } }) => ({
        body: { profile_id: await active.set(body.profile_id) },
      }),
    }),
    api.delete('/api/v1/profiles/active', {
      scope: 'admin',
      summary: 'Deactivate the active profile',
      success: { status: 204, description: 'None is.' },
      async handle({ services: { active } }) {
        await active.clear();
        return {};
      },
    }),
    api.get('/api/v1/profiles/{collection}/{profile}', {
      summary: 'Get a profile',
      success: { status: 200, description: 'All of it.', schema: ProfileDetails },
      errors: ['PROFILE_NOT_FOUND'],
      async handle({ params, context, services }) {
        const body = await profileDetails(services, checked(params));
        const current = etag(body.lock_hash);
        if (isNotModified(context, current)) return { status: 304, headers: { etag: current } };
        return { body, headers: { etag: current } };
      },
    }),
    api.patch('/api/v1/profiles/{collection}/{profile}', {
      scope: 'admin',
      summary: `Write a profile of the collection ${LOCAL_COLLECTION} anew`,
      body: z.object({ manifest: z.string().max(1_000_000) }),
      success: { status: 200, description: 'Written and compiled.', schema: ProfileDetails },
      errors: ['PROFILE_NOT_FOUND', 'PROFILE_READ_ONLY', 'VERSION_MISMATCH', ...COMPILE_ERRORS],
      async handle({ params, body, context, services }) {
        const { local } = services;
        const id = checked(params);
        local.check(id);
        const { manifest: before, lock_hash } = await profileDetails(services, id);
        checkIfMatch(context, lock_hash);
        await local.replace(id, body.manifest);
        try {
          await compile(services, id);
        } catch (error) {
          await local.replace(id, before);
          throw error;
        }
        const written = await profileDetails(services, id);
        return { body: written, headers: { etag: etag(written.lock_hash) } };
      },
    }),
    api.delete('/api/v1/profiles/{collection}/{profile}', {
      scope: 'admin',
      summary: `Delete a profile of the collection ${LOCAL_COLLECTION}`,
      success: { status: 204, description: 'Deleted. Sessions planned from it keep what they need.' },
      errors: ['PROFILE_NOT_FOUND', 'PROFILE_READ_ONLY', 'PROFILE_ACTIVE', 'VERSION_MISMATCH'],
      async handle({ params, context, services }) {
        const { profiles, active, local } = services;
        const id = checked(params);
        local.check(id);
        if (context.req.header('if-match'))
          checkIfMatch(context, (await profileDetails(services, id)).lock_hash);
        if ((await active.get()) === profileId(id))
          throw new DaemonError('PROFILE_ACTIVE', `${profileId(id)} is active. Activate another one first.`);
        await local.remove(id);
        await profiles.withdraw(id);
        return {};
      },
    }),
    api.post('/api/v1/profiles/{collection}/{profile}/compile', {
      scope: 'admin',
      summary: 'Compile a profile from its collection',
      success: {
        status: 200,
        description: 'Compiled.',
        schema: z.looseObject({ status: z.string(), profile_id: z.string(), lock_hash: z.string() }),
      },
      errors: [
        'PROFILE_NOT_FOUND',
        'COLLECTION_NOT_FOUND',
        'PROFILE_INVALID',
        'RESOURCE_MISSING',
        'REF_RESOLUTION_FAILED',
      ],
      async handle({ params, services }) {
        const id = checked(params);
        const report = await compile(services, id);
        const { lock } = await services.profiles.load(id);
        return {
          body: {
            status: report.profiles[profileId(id)],
            collection_id: id.collection,
            profile_name: id.profile,
            profile_id: profileId(id),
            lock_hash: lock.lock_hash,
          },
        };
      },
    }),
    api.post('/api/v1/profiles/{collection}/{profile}/activate', {
      scope: 'admin',
      summary: 'Make a profile the active one',
      success: { status: 200, description: 'Chosen.', schema: z.object({ profile_id: z.string() }) },
      errors: ['PROFILE_NOT_FOUND'],
      handle: async ({ params, services: { active } }) => ({
        body: { profile_id: await active.set(profileId(checked(params))) },
      }),
    }),
    api.post('/api/v1/profiles/{collection}/{profile}/copy', {
      scope: 'admin',
      summary: `Copy a profile to the collection ${LOCAL_COLLECTION}`,
      body: z.object({ new_name: z.string().max(100) }),
      success: { status: 201, description: 'The copy.', schema: ProfileDetails },
      errors: ['PROFILE_NOT_FOUND', 'PROFILE_EXISTS', 'INVALID_ID'],
      async handle({ params, body, services }) {
        const { profiles, local } = services;
        const from = checked(params);
        const id = { collection: LOCAL_COLLECTION, profile: checkName('profile', body.new_name) };
        await local.copy(await profiles.load(from), from, id.profile);
        await compile(services, id);
        return {
          body: await profileDetails(services, id),
          headers: { location: `/api/v1/profiles/${profileId(id)}` },
        };
      },
    }),
    api.get('/api/v1/profiles/{collection}/{profile}/lock', {
      summary: 'Get a compiled profile',
      success: {
        status: 200,
        description: 'The lock.',
        schema: z.looseObject({ lock_hash: z.string(), resources: z.array(freeForm) }),
      },
      errors: ['PROFILE_NOT_FOUND'],
      handle: async ({ params, services: { profiles } }) => ({
        body: (await profiles.load(checked(params))).lock,
      }),
    }),
    api.get('/api/v1/profiles/{collection}/{profile}/status', {
      summary: 'Check whether a profile is up to date with its collection',
      success: {
        status: 200,
        description: 'How it stands.',
        schema: z.looseObject({ status: z.enum(['fresh', 'stale', 'missing']) }),
      },
      errors: ['PROFILE_NOT_FOUND', 'COLLECTION_NOT_FOUND'],
      async handle({ params, services: { profiles, sync } }) {
        const id = checked(params);
        const { path } = await sync.root(await sync.collection(id.collection));
        const source = (await discoverProfiles(path)).profiles.find(
          ({ manifest }) => manifest.name === id.profile,
        );
        const compiled = (await profiles.has(id)) ? (await profiles.load(id)).lock : null;
        if (!source && !compiled) throw notFound(id);
        const isFresh = source && compiled && sha256(source.text) === compiled.manifest_sha256;
        const status = !compiled ? 'missing' : isFresh ? 'fresh' : 'stale';
        return {
          body: {
            status,
            profile_id: profileId(id),
            compiled_at: compiled?.generated_at ?? null,
            lock_hash: compiled?.lock_hash ?? null,
          },
        };
      },
    }),
  ];
}

function checked({ collection, profile }: ProfileId): ProfileId {
  return parseProfileId(`${collection}/${profile}`);
}

/** A failure of one profile as the answer to a request about that profile. */
function refusal(code: string): (typeof COMPILE_ERRORS)[number] {
  if (code === 'DUPLICATE_MODULE' || code === 'RESOURCE_MISSING' || code === 'INVALID_SOURCE') return code;
  if (code === 'PATH_ESCAPES_ROOT') return 'INVALID_SOURCE';
  return code.startsWith('SOURCE_') ? 'REF_RESOLUTION_FAILED' : 'PROFILE_INVALID';
}
