import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import type { Services } from '../services.js';
import { isText } from './lock.js';
import type { ProfileId } from './profile-names.js';

const freeForm = z.record(z.string(), z.unknown());

export const ProfileInfo = z
  .object({
    profile_id: z.string(),
    name: z.string(),
    collection_id: z.string(),
    version: z.string(),
    schema_version: z.int(),
    description: z.string(),
    is_active: z.boolean(),
    lock_hash: z.string(),
  })
  .openapi('ProfileInfo');

const ModuleConfig = z
  .object({ module: z.string(), source: z.string().nullable(), config: freeForm })
  .openapi('ModuleConfig');

export const ProfileDetails = ProfileInfo.extend({
  session: z
    .object({
      orchestrator: ModuleConfig.nullable(),
      context_manager: ModuleConfig.nullable(),
      settings: freeForm,
    })
    .openapi('ProfileSessionConfig'),
  providers: z.array(ModuleConfig),
  tools: z.array(ModuleConfig),
  hooks: z.array(ModuleConfig),
  agents: z.record(z.string(), z.string().nullable()),
  context: z.record(z.string(), z.string().nullable()),
  task: freeForm,
  ui: freeForm,
  extra: freeForm,
  instruction: z.string(),
  manifest: z.string().openapi({ description: 'As it was written.' }),
  warnings: z.array(z.string()),
}).openapi('ProfileDetails');

/** What a listing shows of a profile. */
export async function profileInfo({ profiles, active }: Services, id: ProfileId) {
  const { lock } = await profiles.load(id);
  return {
    profile_id: lock.profile_id,
    name: id.profile,
    collection_id: id.collection,
    version: lock.profile_version,
    schema_version: 2,
    description: lock.description,
    is_active: (await active.get()) === lock.profile_id,
    lock_hash: lock.lock_hash,
  };
}

/** All of a profile, from its lock and its manifest. */
export async function profileDetails(services: Services, id: ProfileId) {
  const { lock, folder } = await services.profiles.load(id);
  const modules = lock.resources.flatMap((resource) => (isText(resource) ? [] : [resource]));
  const list = (kind: string) =>
    modules
      .filter((each) => each.kind === kind)
      .map(({ module, ref, config }) => ({ module, source: ref, config }));
  const refs = (kind: string) =>
    Object.fromEntries(
      lock.resources.filter((each) => each.kind === kind).map((each) => [each.name, each.ref]),
    );
  return {
    ...(await profileInfo(services, id)),
    session: {
      orchestrator: list('orchestrator')[0] ?? null,
      context_manager: list('context-manager')[0] ?? null,
      settings: lock.session,
    },
    providers: list('provider'),
    tools: list('tool'),
    hooks: list('hook'),
    agents: refs('agent'),
    context: refs('context'),
    task: lock.task,
    ui: lock.ui,
    extra: lock.extra,
    instruction: lock.instruction,
    manifest: await readFile(join(folder, `${id.profile}.md`), 'utf8'),
    warnings: lock.warnings,
  };
}
