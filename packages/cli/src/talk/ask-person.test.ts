import type { Question } from '@amplifier/host';
import pc from 'picocolors';
import { expect, it } from 'vitest';
import { questionText, readAnswer } from './ask-person.js';

const question: Question = {
  id: 'q1',
  session_id: 'abc_writer',
  agent: 'writer',
  kind: 'approval',
  prompt: 'May I write x.txt?',
  options: ['Allow once', 'Allow always', 'Deny'],
  asked_at: '',
};

it('says who asks before what is asked', () => {
  const text = questionText(question, pc.createColors(false));
  expect(text).toMatch(/^\nwriter \(abc_writer\) asks: May I write x\.txt\?\n {2}1\. Allow once/);
});

it.each([
  ['1', 'Allow once'],
  ['deny', 'Deny'],
  ['d', 'Deny'],
  ['allow', null],
  ['9', null],
  ['', null],
  ['yes', null],
])('reads %j as %j', (line, answer) => {
  expect(readAnswer(question, line)).toBe(answer);
});

it('takes any words where there are no options, but not none', () => {
  const open = { ...question, options: [] };
  expect(readAnswer(open, ' blue ')).toBe('blue');
  expect(readAnswer(open, ' ')).toBeNull();
});
