import { isDecimal, isPlainObject } from '@amplifier/core';
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

const BY_ID = wanted(
  'a list of modules, or the config of one',
  'modules: { tool-delegate: { settings: { timeout: 600 } } }',
);

/** Numbers are taken as they are written. */
const price = z.coerce
  .string()
  .refine(isDecimal, { error: 'Write the price as US dollars per million tokens, such as "0.25".' });

const RULES = wanted('a list of rules', 'allow: [{ bash: "git status *" }, "web_fetch: docs.*"]');
/** By tool and pattern: a line such as `bash: git status *`, or a mapping of tools to one or more patterns. */
const permissionRules = z
  .array(
    z.union([z.string().min(1), z.record(z.string(), z.union([z.string(), z.array(z.string())]))], {
      error: RULES,
    }),
    { error: RULES },
  )
  .optional();

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
  /** Lists of modules to add; beside them, by module id, the config of a module that the plan has. */
  modules: z
    .looseObject(
      { tools: modules('tool-web').optional(), hooks: modules('hooks-logging').optional() },
      { error: wanted('a mapping', 'modules: { tools: […] }') },
    )
    .superRefine(({ tools: _, hooks: __, ...byId }, context) => {
      for (const [id, config] of Object.entries(byId))
        if (!isPlainObject(config))
          context.addIssue({ code: 'custom', path: [id], message: BY_ID({ input: config }) });
    })
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
  /** By model: US dollars per million tokens. Only the user's own file counts. */
  prices: z
    .record(
      z.string(),
      z.looseObject(
        { input: price, output: price },
        { error: wanted('a mapping', 'my-model: { input: "0.25", output: "1" }') },
      ),
      { error: wanted('a mapping', 'prices: { my-model: { input: "0.25", output: "1" } }') },
    )
    .optional(),
  /** Who may do what without being asked. A project may only ask for more and deny more. */
  permissions: z
    .looseObject(
      { allow: permissionRules, ask: permissionRules, deny: permissionRules },
      { error: wanted('a mapping', 'permissions: { allow: [{ bash: "git status *" }] }') },
    )
    .optional(),
  /** What of sessions may reach the network: `true`, `tools` (all but commands) or `false`. A project may only allow less. */
  network: z
    .union([z.boolean(), z.literal('tools')], { error: wanted('true, tools or false', 'network: false') })
    .optional(),
  /** How sessions are kept. Only the user's own file counts. */
  sessions: z
    .looseObject(
      {
        /** Also write them as files for people to read. */
        readable_copies: z.boolean({ error: wanted('true or false', 'readable_copies: false') }).optional(),
      },
      { error: wanted('a mapping', 'sessions: { readable_copies: false }') },
    )
    .optional(),
  /** A PostgreSQL server that has the record instead of a file. Only the user's own file counts. */
  database: z
    .union(
      [
        z.string(),
        z.looseObject({
          url: z.string(),
          /** The server's own address, where `url` is that of a pooler. */
          direct: z.string().optional(),
          connections: z.number().int().positive().optional(),
        }),
      ],
      { error: wanted('an address', 'database: postgres://user:${DATABASE_PASSWORD}@host/amplifier') },
    )
    .optional(),
  /** MCP servers of every session, by name. */
  mcp_servers: z
    .record(z.string(), z.looseObject({}, { error: wanted('a mapping', '{ command: my-server }') }), {
      error: wanted('a mapping', 'mcp_servers: { docs: { url: https://… } }'),
    })
    .optional(),
  /** What an isolated tree gets beside the files that git knows. */
  isolation: z
    .strictObject(
      {
        carry: z
          .array(z.string(), { error: wanted('a list of names', 'carry: [node_modules, .env]') })
          .optional(),
        setup: z.string({ error: wanted('a command', 'setup: npm ci') }).optional(),
      },
      { error: wanted('a mapping', 'isolation: { carry: [node_modules], setup: npm ci }') },
    )
    .optional(),
  /** Are the files of other tools read? */
  other_tools: z
    .union([z.boolean(), z.record(z.string(), z.boolean())], {
      error: wanted('true, false or a mapping', 'other_tools: { claude_code: false }'),
    })
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
