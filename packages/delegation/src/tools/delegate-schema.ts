import { freezeJson, type JsonObject, Memo } from '@amplifier/core';
import { ProviderPreference } from '@amplifier/foundation';
import { z } from 'zod';
import type { DelegateConfig } from '../request/delegate-config.js';
import { DelegateRequest } from '../request/request.js';

const { provider_preferences } = DelegateRequest.shape;

/** What a model may set. Everything else about a delegation is the app's to decide. */
const FromModel = z.object({
  ...DelegateRequest.pick({
    agent: true,
    instruction: true,
    session_id: true,
    context_depth: true,
    context_turns: true,
    context_scope: true,
    model_role: true,
    background: true,
    skills: true,
    max_result: true,
    hand_back: true,
    output_schema: true,
  }).shape,
  provider_preferences: z
    .array(ProviderPreference.omit({ config: true }))
    .optional()
    .describe(provider_preferences.description ?? ''),
  attachments: z
    .array(z.string())
    .optional()
    .describe(
      'Images and small text files that the agent is to be shown with its task: paths, or the names of images you were shown.',
    ),
});

/** The members of a request that the tool `delegate` takes. */
export const DELEGATE_MEMBERS = Object.keys(FromModel.shape);

/** Those that the older tool `task` takes. */
export const TASK_MEMBERS = ['agent', 'instruction', 'session_id', 'model_role', 'provider_preferences'];

let described: Record<string, JsonObject> | undefined;

/** Each member as JSON Schema. Made once, when a model is first to read it. */
function members(): Record<string, JsonObject> {
  if (described) return described;
  const { properties = {} } = z.toJSONSchema(FromModel, { io: 'input', override: shorten });
  described = properties as Record<string, JsonObject>;
  return described;
}

/** Leaves out what says nothing to a model: the bounds of all integers, and that names are text. */
function shorten({ jsonSchema }: { jsonSchema: JsonObject }): void {
  delete jsonSchema.propertyNames;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** What of the session decides which members are offered. */
export interface Offer {
  features: DelegateConfig['features'];
  /** The roles that can be resolved: null where none can, empty where the list is unknown. */
  roles: readonly string[] | null;
  background: boolean;
}

/** Sessions that offer the same share one schema: requests are built, and their tokens counted, for each model call. */
const SCHEMAS = new Memo<JsonObject>();

/** The input of the tool `delegate`. */
export function delegateSchema(offer: Offer): JsonObject {
  return SCHEMAS.get(JSON.stringify(offer), () => {
    const { self_delegation, session_resume, context_inheritance, provider_selection } = offer.features;
    const { agent, context_turns, model_role, ...rest } = members();
    const { max_turns } = context_inheritance;
    const self = self_delegation.enabled ? "'self' for a copy of you" : "'self' is disabled";
    const offered: Record<string, JsonObject> = {
      ...rest,
      agent: { ...agent, description: `Name of the agent (${self}). Needed unless session_id is given.` },
      context_turns: {
        ...context_turns,
        minimum: 1,
        maximum: max_turns,
        default: Math.min(Number(context_turns?.default), max_turns),
      },
      model_role: { ...model_role, ...(offer.roles?.length ? { enum: [...offer.roles] } : {}) },
    };
    const isLeftOut: Record<string, boolean> = {
      session_id: !session_resume.enabled,
      context_depth: !context_inheritance.enabled,
      context_turns: !context_inheritance.enabled,
      context_scope: !context_inheritance.enabled,
      provider_preferences: !provider_selection.enabled,
      model_role: !provider_selection.enabled || offer.roles === null,
      background: !offer.background,
    };
    return inputOf(offered, (name) => isLeftOut[name] !== true);
  });
}

/** The input of the tool `task`. */
export function taskSchema(): JsonObject {
  return SCHEMAS.get('task', () => inputOf(members(), (name) => TASK_MEMBERS.includes(name)));
}

function inputOf(properties: Record<string, JsonObject>, isOffered: (name: string) => boolean): JsonObject {
  const offered = DELEGATE_MEMBERS.filter(isOffered).map((name) => [name, properties[name]]);
  return freezeJson({
    type: 'object',
    properties: Object.fromEntries(offered),
    required: ['instruction'],
    additionalProperties: false,
  });
}
