import { expect, it } from 'vitest';
import { delegateRequest } from './delegate-request.js';

function form(members: Record<string, string | File>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(members)) data.append(name, value as string);
  return data;
}

it('says what the form says, in the options of a delegation, and leaves out what was left empty', async () => {
  const empty = {
    agent: 'scout',
    instruction: ' Look. ',
    context_turns: '',
    model: '',
    skills: '',
    output_schema: '',
  };
  expect(await delegateRequest(form(empty))).toEqual({ agent: 'scout', instruction: 'Look.' });
  const all = {
    agent: 'again:child-1',
    instruction: 'Look again.',
    context_depth: 'recent',
    context_turns: '3',
    context_scope: 'full',
    model: 'openrouter/anthropic/claude-*',
    model_role: 'fast',
    timeout: '60',
    max_result: '500',
    hand_back: 'summary',
    skills: 'pdf, tables',
    output_schema: '{"type":"object"}',
    attachments: new File(['héllo'], 'a.txt'),
  };
  expect(await delegateRequest(form(all))).toEqual({
    session_id: 'child-1',
    instruction: 'Look again.',
    context_depth: 'recent',
    context_turns: 3,
    context_scope: 'full',
    provider_preferences: [{ provider: 'openrouter', model: 'anthropic/claude-*' }],
    model_role: 'fast',
    timeout: 60,
    max_result: 500,
    hand_back: 'summary',
    skills: ['pdf', 'tables'],
    output_schema: { type: 'object' },
    attachments: [{ name: 'a.txt', data: 'aMOpbGxv' }],
  });
  await expect(delegateRequest(form({ ...empty, output_schema: '{' }))).rejects.toThrow('is not JSON');
});
