import {
  errorInfo,
  type JsonObject,
  shortLine,
  type Tool,
  type ToolResult,
  toolFailure,
  toolSuccess,
} from '@amplifier/core';
import { isWiderMode, tighterNetwork } from '@amplifier/workspace';
import type { Question } from '../engine/questions.js';
import { lendSlot } from '../metering/run-slots.js';
import { Control } from '../recovery/control.js';
import { loadLaunch } from '../recovery/stored-outcome.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Runtime } from '../runtime.js';
import type { Parent } from '../turn/parent.js';
import { launchOfTurn } from '../turn/turn-start.js';
import './equip-session.js';

interface Caller {
  runtime: Runtime;
  control: Control;
  parent: Parent;
  signal: AbortSignal;
}

type Action = (input: JsonObject, caller: Caller) => Promise<ToolResult>;

const ACTIONS: Record<string, Action> = {
  list: async (_, { control, parent }) => toolSuccess(await control.children(parent.session_id)),
  status: async (input, caller) => toolSuccess(await caller.control.status(await own(input, caller))),
  wait: async (input, caller) => {
    const { control, parent, signal } = caller;
    const wanted = Array.isArray(input.session_ids)
      ? input.session_ids.map(String)
      : [String(input.session_id ?? '')];
    const ids = await Promise.all(wanted.map((session_id) => own({ session_id }, caller)));
    const waiting = () => control.wait(ids, { any: input.any === true, signal });
    const ended = await lendSlot(parent.slot, waiting);
    // The result itself comes as a message: there it is delivered once, whatever crashes.
    return toolSuccess(
      ended.map(({ session_id, status }) => ({
        session_id,
        status,
        result: 'delivered as the next message',
      })),
    );
  },
  message: async (input, caller) => {
    const { control, parent } = caller;
    const session_id = await instructable(input, caller);
    await control.message(session_id, String(input.text ?? ''), parent.session_id);
    return toolSuccess('Sent. The agent reads it at its next step.');
  },
  answer: async (input, caller) => {
    const { control, parent } = caller;
    const session_id = await instructable(input, caller);
    // An approval is for a person to give.
    const open = (await control.questions(session_id)).filter(({ kind }) => kind === 'question');
    const asked = input.question_id === undefined && open.length === 1 ? open[0]?.id : input.question_id;
    if (asked === undefined || !open.some(({ id }) => id === asked)) throw noQuestion(session_id, open);
    await control.answer(session_id, String(asked), String(input.text ?? ''), parent.session_id);
    return toolSuccess('Answered.');
  },
  cancel: async (input, caller) => {
    const { control, parent } = caller;
    const stopped = await control.cancel(await own(input, caller), {
      by: parent.session_id,
      level: 'immediate',
    });
    return toolSuccess({ cancelled: stopped });
  },
};

/** The tool `agents`: looks after children that run while the session continues. One for all sessions: it has no state. */
export const agentsTool: Tool = {
  name: 'agents',
  description:
    'Manages agents you started: list them, read their status, wait for one or more, send a message, answer their questions, or cancel one with its children.',
  inputSchema: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: Object.keys(ACTIONS) },
      session_id: { type: 'string', description: 'The agent’s session, for all but list.' },
      session_ids: { type: 'array', items: { type: 'string' }, description: 'For wait: several at once.' },
      any: { type: 'boolean', description: 'For wait: return when the first has ended.' },
      text: { type: 'string', description: 'For message and answer.' },
      question_id: { type: 'string', description: 'For answer: which question, if several are open.' },
    },
    required: ['action'],
    additionalProperties: false,
  },
  async execute(input, { coordinator, signal }) {
    const delegation = coordinator.getCapability('session.delegation');
    if (!delegation)
      return toolFailure('There are no agents to manage: this session cannot delegate.', {
        code: 'CAPABILITY_MISSING',
      });
    const action = ACTIONS[String(input.action)];
    if (!action)
      return toolFailure(
        `There is no action '${input.action}'. There are: ${Object.keys(ACTIONS).join(', ')}.`,
      );
    try {
      const { runtime, parent } = delegation;
      return await action(input, { runtime, parent, control: new Control(runtime), signal });
    } catch (error) {
      const { message, code } = errorInfo(error);
      return toolFailure(message, code ? { code } : {});
    }
  },
};

/** A session may look after its own descendants and nobody else's. */
async function own(input: JsonObject, { control, parent }: Caller): Promise<string> {
  return control.descendant(String(input.session_id ?? ''), parent.session_id);
}

/** A descendant that may do no more than this turn: what a model tells it must not act with rights that the model lacks. */
async function instructable(input: JsonObject, caller: Caller): Promise<string> {
  const { runtime, parent } = caller;
  const session_id = await own(input, caller);
  const launch = await loadLaunch(runtime.store, session_id);
  const { grant, safety_mode } = launchOfTurn(launch, await runtime.store.metadata(session_id));
  const isWider =
    isWiderMode(safety_mode, parent.safety_mode) ||
    tighterNetwork(grant.network, parent.grant.network) !== grant.network;
  if (!isWider) return session_id;
  throw new DelegationError(
    `'${session_id}' may do more (${safety_mode}, network ${grant.network}) than you may in this turn (${parent.safety_mode}, network ${parent.grant.network}), so you cannot instruct it. Wait for it or cancel it; delegate to it again when it has ended.`,
    { code: 'SAFETY_MODE_WIDER', origin: session_id },
  );
}

function noQuestion(session_id: string, open: readonly Question[]): DelegationError {
  const which = open.map(({ id, prompt }) => `${id} (${shortLine(prompt, 80)})`).join(', ');
  return new DelegationError(
    open.length === 0
      ? `'${session_id}' has no open question for you. Approvals are given by a person.`
      : `'${session_id}' has these open questions: ${which}. Give one of their ids as question_id.`,
    { code: 'QUESTION_NOT_FOUND', origin: session_id },
  );
}
