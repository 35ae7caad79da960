/** Lines of what a tool found that are shown; all of it is in the session. */
const SHOWN_LINES = 5;
const SHOWN_FILES = 6;

/** A tool's call and what it returned, as the offline provider writes them. */
const SECTION = /^(\w+) (\{[^\n]*\}) returned:\n([\s\S]*?)(?=^\w+ \{[^\n]*\} returned:\n|$(?![\s\S]))/gm;

/** What an agent of the offline provider found, in lines for a person instead of the JSON that its tools speak. */
export function findingLines(answer: string): string[] {
  const [, ...findings] = answer.split('\n\n');
  // What a child returned is quoted in what its parent returned.
  const text = findings.join('\n').replaceAll(/\\+"/g, '"').replaceAll(/\\+n/g, '\n');
  return [...text.matchAll(SECTION)].flatMap(([, tool = '', input = '', found = '']) => [
    `  ${whatItDid(tool, input)}`,
    ...foundLines(found).map((line) => `    ${line}`),
  ]);
}

function whatItDid(tool: string, input: string): string {
  const said = (member: string) => new RegExp(`"${member}":"([^"]*)"`).exec(input)?.[1] ?? '';
  if (tool === 'read_file') return `read ${said('file_path')}`;
  if (tool === 'glob') return `looked for ${said('pattern')}`;
  if (tool === 'delegate') return `asked ${said('agent')} to ${said('instruction')}`;
  return tool;
}

function foundLines(found: string): string[] {
  // The child's own findings follow as sections of their own.
  if (found.startsWith('{"response"')) return [];
  if (!found.startsWith('{"files"'))
    return found
      .split('\n')
      .map((line) => line.replace(/^\s*\d+\t?/, ''))
      .filter((line) => line.trim() !== '')
      .slice(0, SHOWN_LINES);
  const files = [...found.matchAll(/"([^"\s]*[./][^"\s]*)"/g)].map(([, file = '']) => file);
  const more = files.length > SHOWN_FILES || found.includes('[…') ? ', …' : '';
  return [`${files.slice(0, SHOWN_FILES).join(', ')}${more}`];
}
