import { z } from 'zod';
import { wanted } from '../documents/describe-issue.js';

const mapping = (example: string) =>
  z.record(z.string(), z.unknown(), { error: wanted('a mapping', example) });

const modules = (example: string) =>
  z.array(
    z.union([z.string().min(1), z.looseObject({ module: z.string().min(1) })], {
      error: wanted('a module id or a mapping with one', example),
    }),
    { error: wanted('a list of modules', `[${example}]`) },
  );

/** What a settings file may say. Keys that are not named here belong to others and are kept. */
export const Settings = z.looseObject({
  bundle: z
    .looseObject(
      {
        /** The bundle a session is made of. */
        active: z.string({ error: wanted('a name or source', 'active: foundation') }).optional(),
        /** Laid on top of every bundle. */
        app: z.array(z.string(), { error: wanted('a list', 'app: [./team.yaml]') }).optional(),
        /** Sources by name. */
        added: z
          .record(z.string(), z.string(), { error: wanted('a mapping', 'added: { team: git+https://… }') })
          .optional(),
      },
      { error: wanted('a mapping', 'bundle: { active: foundation }') },
    )
    .optional(),
  config: z
    .looseObject(
      { providers: modules('{ module: provider-anthropic }').optional() },
      { error: wanted('a mapping', 'config: { providers: […] }') },
    )
    .optional(),
  modules: z
    .looseObject(
      { tools: modules('tool-web').optional(), hooks: modules('hooks-logging').optional() },
      { error: wanted('a mapping', 'modules: { tools: […] }') },
    )
    .optional(),
  /** By module id: another source, settings laid over what the plan has. */
  overrides: z
    .record(
      z.string(),
      z.looseObject(
        {
          source: z.string({ error: wanted('text', 'source: ./my-tool') }).optional(),
          config: mapping('config: { key: value }').optional(),
        },
        { error: wanted('a mapping', '{ config: { key: value } }') },
      ),
      { error: wanted('a mapping', 'overrides: { tool-bash: { config: { … } } }') },
    )
    .optional(),
  sources: z
    .looseObject(
      {
        modules: z
          .record(z.string(), z.string(), { error: wanted('a mapping', 'modules: { tool-x: ./tool-x }') })
          .optional(),
        bundles: z
          .record(z.string(), z.string(), { error: wanted('a mapping', 'bundles: { team: ./team }') })
          .optional(),
      },
      { error: wanted('a mapping', 'sources: { modules: { … } }') },
    )
    .optional(),
  routing: z
    .looseObject(
      {
        matrix: z.string({ error: wanted('the name of a matrix', 'matrix: balanced') }).optional(),
        overrides: mapping('overrides: { fast: […] }').optional(),
      },
      { error: wanted('a mapping', 'routing: { matrix: balanced }') },
    )
    .optional(),
});
export type Settings = z.infer<typeof Settings>;
