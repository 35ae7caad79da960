import { describe, expect, it } from 'vitest';
import { agentEnv, depthFrom } from '../process/agent-env.js';
import { statePaths } from '../process/state-paths.js';
import { clampEffort } from '../session/effort-level.js';
import { matchValue, readChoices } from '../session/session-options.js';
import { costOfTurn } from './attempt-end.js';
import { errorAnswersOf, errorInAnswer } from './judge-answer.js';

describe('what an agent offers', () => {
  it('finds the choices by category first, flat or in groups, and by the older ways', () => {
    const option = (id: string, category: string | undefined, options: unknown) => ({
      type: 'select',
      id,
      category,
      currentValue: 'a',
      options,
    });
    const flat = [{ value: 'a' }, { value: 'b' }];
    expect(
      readChoices({ configOptions: [option('model', 'mode', flat), option('llm', 'model', flat)] }).model?.id,
    ).toBe('llm');
    expect(
      readChoices({ configOptions: [option('model', undefined, [{ group: 'g', options: flat }])] }).model
        ?.values,
    ).toEqual(['a', 'b']);
    expect(readChoices({ configOptions: [option('reasoning_effort', undefined, flat)] }).effort?.id).toBe(
      'reasoning_effort',
    );
    expect(
      readChoices({ models: { currentModelId: 'x', availableModels: [{ modelId: 'x' }] } }).model,
    ).toMatchObject({ channel: 'set_model' });
    for (const odd of [
      null,
      1,
      { configOptions: 'no' },
      { configOptions: [null, { id: 3 }], models: [], modes: {} },
    ])
      expect(readChoices(odd)).toEqual({ model: null, mode: null, effort: null });
  });

  it('matches a value by its end only where there is one such', () => {
    expect(matchValue('m-1', ['a/m-1', 'a/m-2'])).toBe('a/m-1');
    expect(matchValue('m-1', ['a/m-1', 'b/m-1'])).toBeNull();
    expect(matchValue('fake-1', ['$runtime|openai|fake-1(openai)'])).toBe('$runtime|openai|fake-1(openai)');
  });

  it('takes the nearest effort from below, else the lowest', () => {
    expect(clampEffort('max', ['low', 'high'])).toBe('high');
    expect(clampEffort('low', ['medium', 'high'])).toBe('medium');
    expect(clampEffort('low', ['default'])).toBeNull();
  });
});

describe('what an agent says', () => {
  it('tells an error dressed as an answer from an answer about errors', async () => {
    const error_answers = await errorAnswersOf({ id: 'a', error_answers: ['^API Error: \\d{3}'] });
    expect(errorInAnswer('{"error":{"message":"quota"}}', [])).toBe('quota');
    expect(errorInAnswer('Warning: metadata.\n{"type":"error","message":"bad"}', [])).toBe('bad');
    expect(errorInAnswer('API Error: 529 overloaded', error_answers)).toContain('529');
    expect(errorInAnswer('The server answers {"error":{"message":"x"}} when it is full.', [])).toBeNull();
    expect(errorInAnswer('{"ok":true}', [])).toBeNull();
  });

  it('knows what a turn cost from what the session has cost', () => {
    expect(costOfTurn(0.5, 0.75)).toBe('0.25');
    expect(costOfTurn(0.5, 0.1)).toBe('0.1');
    expect(costOfTurn(null, null)).toBeNull();
  });
});

describe('what an agent is given', () => {
  it('passes only what is on the list', () => {
    const own = { PATH: '/bin', AWS_SECRET_ACCESS_KEY: 'x', GEMINI_API_KEY: 'y', LC_ALL: 'C' };
    expect(agentEnv({ env_passthrough: ['GEMINI_*'], env: { A: '1' } }, own)).toEqual({
      PATH: '/bin',
      GEMINI_API_KEY: 'y',
      LC_ALL: 'C',
      SHLVL: '1',
      A: '1',
    });
  });

  it('finds its folders by the variables that move them', () => {
    const entries = ['data:x', 'home:.x'];
    expect(statePaths(entries, { HOME: '/h' })).toEqual(['/h/.local/share/x', '/h/.x']);
    expect(statePaths(entries, { HOME: '/h', XDG_DATA_HOME: '/d' })).toEqual(['/d/x', '/h/.x']);
  });

  it('takes a depth it cannot read for the deepest there is', () => {
    expect([{}, { AMPLIFIER_DEPTH: '2' }, { AMPLIFIER_DEPTH: '-1' }].map(depthFrom)).toEqual([
      0,
      2,
      Number.POSITIVE_INFINITY,
    ]);
  });
});
