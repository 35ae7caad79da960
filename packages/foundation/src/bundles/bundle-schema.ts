import { z } from 'zod';
import { wanted } from '../documents/describe-issue.js';

const MODULES = 'modules: { tool-delegate: { settings: { timeout: 600 } } }';

const EXAMPLE = 'tools: [{ module: tool-filesystem }]';

const emptyIsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

const section = (name: string) =>
  emptyIsAbsent(z.record(z.string(), z.unknown(), { error: wanted('a mapping', `${name}: { … }`) }));

const modules = emptyIsAbsent(
  z.array(
    z.union([z.string().min(1), z.looseObject({ module: z.string().min(1) })], {
      error: wanted('a module id or a mapping with one', EXAMPLE),
    }),
    { error: wanted('a list of modules', EXAMPLE) },
  ),
);

const reference = z.union(
  [z.string().min(1), z.looseObject({ bundle: z.string().min(1) }).transform(({ bundle }) => bundle)],
  { error: wanted('a source or a mapping with one', 'includes: [{ bundle: ./other }]') },
);

const text = (key: string) => z.coerce.string({ error: wanted('text', `${key}: …`) });

/** What a bundle file says, by its own keys. Others are reported and left alone. */
export const BundleFrontmatter = z.looseObject({
  bundle: emptyIsAbsent(
    z.looseObject(
      {
        name: z.string({ error: wanted('text', 'name: my-bundle') }).optional(),
        version: text('version').optional(),
        description: emptyIsAbsent(text('description')),
        /** Moves the folder that `name:path` starts at; relative to the file. */
        namespace_root: z.string({ error: wanted('a path', 'namespace_root: ..') }).optional(),
      },
      { error: wanted('a mapping', 'bundle: { name: my-bundle }') },
    ),
  ),
  includes: emptyIsAbsent(z.array(reference, { error: wanted('a list', 'includes: [{ bundle: ./other }]') })),
  session: section('session'),
  providers: modules,
  tools: modules,
  hooks: modules,
  /** By module id: mounts the module, or configures the one an included bundle mounts. */
  modules: emptyIsAbsent(
    z.record(
      z
        .string()
        .regex(/^(provider|tool|hooks?)-/, { error: wanted('ids of providers, tools or hooks', MODULES) }),
      emptyIsAbsent(z.record(z.string(), z.unknown(), { error: wanted('a mapping', MODULES) })),
      { error: wanted('a mapping', MODULES) },
    ),
  ),
  spawn: section('spawn'),
  agents: emptyIsAbsent(
    z.union(
      [
        z.enum(['all', 'none']),
        z.array(z.string().min(1)),
        z.looseObject({ include: z.array(z.string().min(1)).nullish() }),
      ],
      {
        error: wanted(
          'all, none, a list of names or a mapping',
          'agents: all or agents: { include: [explorer] }',
        ),
      },
    ),
  ),
  context: emptyIsAbsent(
    z.record(
      z.string(),
      z.union([z.string(), z.array(z.string())], {
        error: wanted('a path or a list of paths', 'include: [context/house-rules.md]'),
      }),
      { error: wanted('a mapping', 'context: { include: [context/house-rules.md] }') },
    ),
  ),
});
export type BundleFrontmatter = z.infer<typeof BundleFrontmatter>;

export const BUNDLE_KEYS = Object.keys(BundleFrontmatter.shape);
