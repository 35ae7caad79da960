import { errorInfo, type Tool, toolFailure, toolSuccess } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { DEFAULT_LIMITS } from '../defaults.js';
import type { Questions } from '../engine/questions.js';
import type { Parent } from '../turn/parent.js';

const QUESTION_SCHEMA = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'One question, with all that is needed to answer it.' },
  },
  required: ['question'],
  additionalProperties: false,
};

/**
 * How a child asks whoever delegated to it. A parent that waits cannot answer, so the child's turn ends with the question and
 * is resumed with the answer. A parent that continues meanwhile gets the question as a message, and the child waits.
 */
export function askParentTool(store: SessionStore, self: Parent, questions: Questions): Tool {
  return {
    name: 'ask_parent',
    description:
      'Asks the session that gave you this task a question you cannot answer yourself. Use it only when you cannot continue without the answer.',
    inputSchema: QUESTION_SCHEMA,
    async execute({ question }, { signal }) {
      if (typeof question !== 'string' || question.trim() === '')
        return toolFailure('The question is empty.');
      if (!self.background) {
        self.askAndEnd(question);
        return toolSuccess(
          'Your question was sent to the session that gave you the task. The answer will be your next message.',
        );
      }
      const id = `question_${globalThis.crypto.randomUUID()}`;
      try {
        const asked = questions.ask(
          { kind: 'question', prompt: question, options: [], id },
          DEFAULT_LIMITS.timeout,
          signal,
        );
        await store.send({
          to: self.parent_id ?? '',
          kind: 'question',
          from: self.session_id,
          id,
          body: { text: question, agent: self.agent_name, session_id: self.session_id },
        });
        return toolSuccess(await asked);
      } catch (error) {
        return toolFailure(`There was no answer: ${errorInfo(error).message}`);
      }
    },
  };
}
