import { AmplifierError, type HookReply, HookResult, parseBoundedJson } from '@amplifier/core';
import type { ProcessEnd } from '@amplifier/workspace';
import { z } from 'zod';
import type { ShellHook } from './shell-hook.js';

/** The exit code by which a command says no without writing JSON; its standard error is the reason. */
const DENY_EXIT_CODE = 2;

export type Answer = { reply: HookReply } | { failure: string };

/** What a hook command meant: nothing for silence, a hook result for JSON, a denial for exit code 2. */
export function readAnswer(end: ProcessEnd | { failed: string }, { command, timeout }: ShellHook): Answer {
  const name = `The hook command '${typeof command === 'string' ? command : command.join(' ')}'`;
  if ('failed' in end) return { failure: `${name} could not be run: ${end.failed}` };
  if (end.ended === 'timeout')
    return { failure: `${name} did not answer within ${timeout} s and was ended.` };
  if (end.ended !== 'exited') return { failure: `${name} was ended because the session was cancelled.` };
  if (end.exit_code === DENY_EXIT_CODE)
    return { reply: { action: 'deny', reason: end.stderr.text.trim() || `${name} said no.` } };
  if (end.exit_code !== 0)
    return {
      failure: `${name} ended with ${end.exit_code ?? end.signal}: ${end.stderr.text.trim() || 'no message'}`,
    };
  return end.stdout.text.trim() === '' ? { reply: null } : readJson(name, end.stdout.text);
}

function readJson(name: string, text: string): Answer {
  try {
    const { success, data, error } = HookResult.safeParse(parseBoundedJson(text, 'The answer'));
    return success
      ? { reply: data }
      : { failure: `${name} answered with no hook result: ${z.prettifyError(error)}` };
  } catch (error) {
    if (AmplifierError.is(error)) return { failure: `${name}: ${error.message}` };
    if (error instanceof SyntaxError) return { failure: `${name} answered with something that is not JSON.` };
    throw error;
  }
}
