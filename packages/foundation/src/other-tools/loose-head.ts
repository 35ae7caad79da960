import { looseMembers } from '@amplifier/core';
import { parseYamlMapping, type YamlMapping, type YamlText } from '../documents/parse-yaml.js';
import { FoundationError } from '../errors.js';

/** The head of a file of another tool's: as YAML, else member by member, as their own readers take them. */
export function readLooseHead(head: YamlText): YamlMapping {
  try {
    return parseYamlMapping(head);
  } catch (error) {
    if (!(error instanceof FoundationError) || error.code !== 'INVALID_YAML') throw error;
    const { text, file, first_line = 1 } = head;
    const members = looseMembers(text, (member, line) => {
      const [value] = Object.values(
        parseYamlMapping({ text: member, file, first_line: first_line + line }).data,
      );
      return value;
    });
    if (members.length === 0) throw error;
    return {
      data: Object.fromEntries(members.map(({ name, value }) => [name, value])),
      placeOf: ([name]) => ({
        file,
        line: first_line + (members.find((member) => member.name === name)?.line ?? 0),
      }),
      duplicate_keys: [],
    };
  }
}
