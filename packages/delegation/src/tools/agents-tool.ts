import {
  errorInfo,
  type JsonObject,
  type Tool,
  type ToolResult,
  toolFailure,
  toolSuccess,
} from '@amplifier/core';
import type { DelegationService } from '../equip-session.js';
import type { Parent } from '../parent.js';

type Action = (
  input: JsonObject,
  delegator: DelegationService,
  parent: Parent,
  signal: AbortSignal,
) => Promise<ToolResult>;

const ACTIONS: Record<string, Action> = {
  list: async (_, delegator, parent) => toolSuccess(await delegator.control.children(parent.session_id)),
  status: async (input, delegator, parent) =>
    toolSuccess(await delegator.control.status(await own(input, delegator, parent))),
  wait: async (input, delegator, parent, signal) => {
    const wanted = Array.isArray(input.session_ids)
      ? input.session_ids.map(String)
      : [String(input.session_id ?? '')];
    const ids = await Promise.all(wanted.map((session_id) => own({ session_id }, delegator, parent)));
    const waiting = () => delegator.control.wait(ids, { any: input.any === true, signal });
    const ended = await (parent.slot ? parent.slot.whileWaiting(waiting) : waiting());
    // The result itself comes as a message: there it is delivered once, whatever crashes.
    return toolSuccess(
      ended.map(({ session_id, status }) => ({
        session_id,
        status,
        result: 'delivered as the next message',
      })),
    );
  },
  message: async (input, delegator, parent) => {
    await delegator.control.message(
      await own(input, delegator, parent),
      String(input.text ?? ''),
      parent.session_id,
    );
    return toolSuccess('Sent. The agent reads it at its next step.');
  },
  answer: async (input, delegator, parent) => {
    await delegator.control.answer(
      await own(input, delegator, parent),
      String(input.question_id ?? ''),
      String(input.text ?? ''),
    );
    return toolSuccess('Answered.');
  },
  cancel: async (input, delegator, parent) => {
    const stopped = await delegator.control.cancel(await own(input, delegator, parent), {
      by: parent.session_id,
      level: 'immediate',
    });
    return toolSuccess({ cancelled: stopped });
  },
};

/** The tool `agents`: looks after children that run while the session continues. */
export function agentsTool(): Tool {
  return {
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
        question_id: { type: 'string', description: 'For answer: which question.' },
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
        return await action(input, delegation.delegator, delegation.parent, signal);
      } catch (error) {
        const { message, code } = errorInfo(error);
        return toolFailure(message, code ? { code } : {});
      }
    },
  };
}

/** A session may look after its own descendants and nobody else's. */
async function own(input: JsonObject, delegator: DelegationService, parent: Parent): Promise<string> {
  return delegator.control.descendant(String(input.session_id ?? ''), parent.session_id);
}
