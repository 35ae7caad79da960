import { Component } from 'preact';
import type { Message } from '../api/types.js';
import { Expandable } from '../ui/expandable.js';
import { clockTime, count } from '../ui/format.js';
import { LongText } from '../ui/long-text.js';
import { partsOf, splitContext } from './read-message.js';
import { ToolCallRow } from './tool-call-row.js';

interface Props {
  message: Message;
  results: Map<string, unknown>;
  /** Which results of this message are known: it is drawn anew when that changes. */
  known: string;
  onFork: ((turn: number) => void) | null;
}

/** Drawn again only when it changed: a page of three hundred takes no time when one is added. */
export class MessageView extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return (
      next.message !== this.props.message ||
      next.known !== this.props.known ||
      (next.onFork === null) !== (this.props.onFork === null)
    );
  }

  override render({ message, results, onFork }: Props) {
    if (message.role === 'tool' || message.role === 'function') return null;
    if (message.role === 'user') return <Instruction message={message} onFork={onFork} />;
    if (message.role === 'assistant') return <Answer message={message} results={results} />;
    return (
      <article class="message aside" id={`m${message.seq}`}>
        <Expandable
          head={
            <span class="dim">{message.role === 'system' ? 'System prompt' : `Note (${message.role})`}</span>
          }
        >
          {() => <LongText text={textOf(message)} />}
        </Expandable>
      </article>
    );
  }
}

function textOf(message: Message): string {
  return partsOf(message)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('\n');
}

function Instruction({ message, onFork }: { message: Message; onFork: ((turn: number) => void) | null }) {
  const { context, task } = splitContext(textOf(message));
  const kind = message.metadata?.kind;
  return (
    <article class="message user" id={`m${message.seq}`} aria-label={`Turn ${message.turn}`}>
      <header>
        <strong>{kind === 'mail' || kind === 'steer' ? 'Message' : 'Instruction'}</strong>
        <span class="dim num">
          turn {message.turn} · {clockTime(message.timestamp)}
        </span>
        {onFork ? (
          <button type="button" class="quiet on-hover" onClick={() => onFork(message.turn)}>
            Fork from here
          </button>
        ) : null}
      </header>
      {context ? (
        <Expandable
          class="context"
          head={<span class="dim">Context from the parent, {count(context.length, 'character')}</span>}
        >
          {() => <LongText text={context} mono />}
        </Expandable>
      ) : null}
      <LongText text={task} />
    </article>
  );
}

function Answer({ message, results }: { message: Message; results: Map<string, unknown> }) {
  const parts = partsOf(message);
  return (
    <article class="message assistant" id={`m${message.seq}`}>
      {parts.map((part, at) => {
        if (part.kind === 'text') return <LongText key={at} text={part.text} />;
        if (part.kind === 'call')
          return (
            <ToolCallRow
              key={part.call.id}
              call={part.call}
              result={results.get(part.call.id)}
              answered={results.has(part.call.id)}
            />
          );
        return <Reasoning key={at} text={part.text} />;
      })}
    </article>
  );
}

export function Reasoning({ text, open = false }: { text: string; open?: boolean }) {
  const lines = text.split('\n').length;
  return (
    <Expandable
      class="reasoning"
      open={open}
      head={<span class="dim">Reasoning, {count(lines, 'line')}</span>}
    >
      {() => <LongText text={text} />}
    </Expandable>
  );
}
