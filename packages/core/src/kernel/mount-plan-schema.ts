import { z } from 'zod';
import { instanceLabel, moduleSpec } from './mount-plan.js';

/** Says what was found where something else belongs, and what to write instead. */
function wanted(what: string, example: string) {
  return ({ input }: { input?: unknown }) =>
    input === undefined
      ? `is missing; write ${example}`
      : `must be ${what}, not ${nameOf(input)}; write ${example}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (value === '') return 'an empty string';
  return `${typeof value} ${JSON.stringify(value) ?? String(value)}`;
}

const text = (what: string, example: string) => {
  const error = wanted(what, example);
  return z
    .string({ error })
    .refine((value) => value.trim() !== '', { error: `must not be empty; write ${example}` });
};

const config = z.record(z.string(), z.unknown(), {
  error: wanted('an object', 'config: { key: value } or leave it out'),
});

function moduleEntry(example: string) {
  const spec = z.looseObject(
    {
      module: text('the id of a module', `module: ${example}`),
      source: text('a string', 'source: git+https://… or leave it out').optional(),
      config: config.optional(),
      id: text('a string', 'id: my-name or leave it out').optional(),
      instance_id: text('a string', 'instance_id: my-name or leave it out').optional(),
    },
    { error: wanted('a module id or an object with one', `${example} or { module: ${example} }`) },
  );
  return z.preprocess((entry) => (typeof entry === 'string' ? { module: entry } : entry), spec);
}

const moduleList = (example: string) =>
  z.array(moduleEntry(example), { error: wanted('a list of modules', `[{ module: ${example} }]`) });

const positive = (example: string) => {
  const error = wanted('a positive whole number', example);
  return z.number({ error }).int({ error }).positive({ error });
};

const moduleSection = z.looseObject(
  { config: config.optional() },
  { error: wanted('an object', '{ config: { … } }') },
);

export const MountPlanSchema = z.looseObject(
  {
    session: z.looseObject(
      {
        orchestrator: moduleEntry('loop-basic'),
        orchestrator_source: text('a string', 'orchestrator_source: git+https://…').optional(),
        context: moduleEntry('context-simple'),
        context_source: text('a string', 'context_source: git+https://…').optional(),
        injection_budget_per_turn: positive('injection_budget_per_turn: 10000').optional(),
        injection_size_limit: positive('injection_size_limit: 10240').optional(),
        metadata: z
          .record(z.string(), z.unknown(), { error: wanted('an object', 'metadata: { key: value }') })
          .optional(),
        raw: z.boolean({ error: wanted('true or false', 'raw: true') }).optional(),
      },
      { error: wanted('an object', 'session: { orchestrator: loop-basic, context: context-simple }') },
    ),
    orchestrator: moduleSection.optional(),
    context: moduleSection.optional(),
    providers: moduleList('provider-anthropic').superRefine(refuseUnlabelledTwins).optional(),
    tools: moduleList('tool-filesystem').optional(),
    hooks: moduleList('hooks-logging').optional(),
  },
  { error: wanted('an object', '{ session: { orchestrator: loop-basic, context: context-simple } }') },
);

/** Several instances of one provider are told apart by their labels; only one of them may go without. */
function refuseUnlabelledTwins(entries: unknown[], context: z.RefinementCtx): void {
  const seen = new Map<string, number>();
  entries.forEach((entry, index) => {
    const spec = moduleSpec(entry);
    if (!spec) return;
    const label = instanceLabel(spec);
    const key = label === undefined ? `module ${spec.module}` : `label ${label}`;
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, index);
      return;
    }
    const message =
      label === undefined
        ? `is a second '${spec.module}' without an instance_id (the first is providers[${first}]); give each but one its own, such as instance_id: ${spec.module}-2`
        : `has the instance_id '${label}' of providers[${first}]; give it another`;
    context.addIssue({ code: 'custom', path: [index], message });
  });
}
