import { expect, it } from 'vitest';
import { planPrompt } from './plan-prompt.js';

const agent = { name: null, origin: 'plan', digest: null, instruction: null };
const session = (system: object) => ({ session: { system } }) as never;

it('is the instruction of the plan and its contexts under their names', () => {
  const context = [{ name: 'house "rules"', content: 'Be brief.\n' }, { name: 'broken' }];
  expect(planPrompt({ agent, plan: session({ instruction: 'Help.', context }) })).toBe(
    'Help.\n\n---\n\n<context name="house &quot;rules&quot;">\nBe brief.\n</context>',
  );
  expect(planPrompt({ agent, plan: session({}) })).toBeNull();
  expect(planPrompt({ agent, plan: { session: {} } as never })).toBeNull();
});

it('is not that of an agent, which brings its own', () => {
  const scout = { ...agent, name: 'scout', instruction: 'You look.' };
  expect(planPrompt({ agent: scout, plan: session({ instruction: 'Help.' }) })).toBeNull();
});
