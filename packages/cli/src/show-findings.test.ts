import { expect, it } from 'vitest';
import { findingLines } from './show-findings.js';

it('says what an agent did and found in words, also what its own agent found, and shows no JSON', () => {
  const inner = JSON.stringify({
    response: 'No model.\n\nglob {"pattern":"*.md"} returned:\n{"files":["a.md","docs/b.md"]}',
  });
  const answer = `No model.\n\nread_file {"file_path":"README.md"} returned:\n     1\t# Title\n     2\t\ndelegate {"agent":"explorer","instruction":"glob *.md"} returned:\n${inner}`;
  const lines = findingLines(answer);
  expect(lines).toEqual([
    '  read README.md',
    '    # Title',
    '  asked explorer to glob *.md',
    '  looked for *.md',
    '    a.md, docs/b.md',
  ]);
});
