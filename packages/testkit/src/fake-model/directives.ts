import type { FakeReply } from './reply.js';
import type { Step } from './wire.js';

/**
 * Reads a reply out of the conversation itself, so that a client in another process can be driven by what it is asked.
 * The last user message that holds directives is the script; `!then` parts its answers, and how often the assistant
 * has answered since says which one is due:
 *
 * ```
 * !think let me see
 * !say I will look.
 * !call read_file {"path": "notes.md"}
 * !then
 * !say It says hello.
 * ```
 *
 * Others: `!sleep 50`, `!hang`, `!hang midway`, `!fail 429 retry-after=2 slow down`, `!cut`, `!malformed`,
 * `!stream_error overloaded`. Without directives the model repeats what it was told.
 */
export function replyFromConversation(steps: readonly Step[]): FakeReply {
  const at = steps.findLastIndex((step) => step.role === 'user' && DIRECTIVE.test(step.text));
  const script = steps[at];
  if (!script) return { text: `You said: ${steps.findLast((step) => step.role === 'user')?.text ?? ''}` };
  const parts = script.text.split(/^[ \t]*!then[ \t]*$/m);
  const part = parts[answersIn(steps.slice(at + 1))];
  return part === undefined ? { text: 'Done.' } : parseDirectives(part);
}

const DIRECTIVE = /^[ \t]*!(say|think|call|sleep|hang|fail|cut|malformed|stream_error|then)\b/m;
const LINE = /^[ \t]*!(\w+)[ \t]*(.*)$/gm;

/** Neighbouring assistant steps are one answer. */
function answersIn(steps: readonly Step[]): number {
  return steps.filter((step, index) => step.role === 'assistant' && steps[index - 1]?.role !== 'assistant')
    .length;
}

function parseDirectives(part: string): FakeReply {
  const reply: FakeReply = {};
  for (const [, verb = '', rest = ''] of part.matchAll(LINE)) apply(reply, verb, rest.trim());
  return reply;
}

function apply(reply: FakeReply, verb: string, rest: string): void {
  switch (verb) {
    case 'say':
      reply.text = reply.text === undefined ? rest : `${reply.text}\n${rest}`;
      return;
    case 'think':
      reply.thinking = reply.thinking === undefined ? rest : `${reply.thinking}\n${rest}`;
      return;
    case 'call': {
      const [, name = '', input = ''] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
      reply.tool_calls = [...(reply.tool_calls ?? []), { name, raw_arguments: input === '' ? '{}' : input }];
      return;
    }
    case 'sleep':
      reply.sleep_ms = Number(rest);
      return;
    case 'hang':
      reply.hang = rest === 'midway' ? 'midway' : 'before';
      return;
    case 'fail':
      reply.fail = failure(rest);
      return;
    case 'cut':
      reply.cut = true;
      return;
    case 'malformed':
      reply.malformed = true;
      return;
    case 'stream_error':
      reply.stream_error = rest === '' ? 'The model is overloaded.' : rest;
  }
}

function failure(rest: string): NonNullable<FakeReply['fail']> {
  const [, status = '500', delay, message = ''] =
    /^(\d{3})?\s*(?:retry-after=(\S+))?\s*(.*)$/.exec(rest) ?? [];
  return {
    status: Number(status),
    ...(message === '' ? {} : { message }),
    ...(delay === undefined ? {} : { headers: { 'retry-after': delay } }),
  };
}
