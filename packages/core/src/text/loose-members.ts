/** A member of a head that is no YAML as a whole. */
export interface LooseMember {
  name: string;
  value: unknown;
  /** From the first line of the head, which is 0. */
  line: number;
}

/** `Context: …` and the like are sentences of a description. */
const MEMBER = /^([a-z][\w-]*):(?:[ \t]|$)/;

/** Text begins on the member's own line and is no list or mapping: those decide what may be done, and are not guessed. `*` is all. */
const TEXT = /^(?:\*$|[^\s[\]{}|>&*!])/;

/**
 * The members of a head that cannot be read as a whole. Many files of agents and skills are no YAML and work all the same where
 * they come from: a description has a colon in it, or an example of several lines. So each member is read by itself, and
 * one that is no YAML is the text that stands there. `read` gets a member as it is written; what it throws for a
 * member that cannot be text is passed on.
 */
export function looseMembers(head: string, read: (member: string, line: number) => unknown): LooseMember[] {
  return linesOfMembers(head).map(({ name, lines, line }) => {
    try {
      return { name, line, value: read(`${lines.join('\n')}\n`, line) };
    } catch (error) {
      const [first = ''] = lines;
      if (!TEXT.test(first.slice(name.length + 1).trim())) throw error;
      const text = lines.join('\n').slice(name.length + 1);
      return { name, line, value: text.trim().replace(/^(["'])([\s\S]*)\1$/, '$2') };
    }
  });
}

/** A member goes on until a line that begins the next; what stands in an example begins none. */
function linesOfMembers(head: string): { name: string; lines: string[]; line: number }[] {
  const members: { name: string; lines: string[]; line: number }[] = [];
  let examples = 0;
  for (const [line, text] of head.split(/\r?\n/).entries()) {
    const name = examples > 0 ? undefined : MEMBER.exec(text)?.[1];
    if (name !== undefined) members.push({ name, lines: [text], line });
    else members.at(-1)?.lines.push(text);
    examples += text.split('<example>').length - text.split('</example>').length;
  }
  return members;
}
