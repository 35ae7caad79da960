import { boundsFault, isPlainObject, type JsonObject, sanitizeText, shorten } from '@amplifier/core';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { MCP_DESCRIPTION_CHARACTERS, MCP_SCHEMA_SIZE } from '../defaults.js';

/** What the model is told of a server's tool: as the server says it, up to a bound, since it is in every request. */
export function boundedTool({ name, title, description, inputSchema }: McpTool): {
  description: string;
  inputSchema: JsonObject;
} {
  // Cut before it is looked through, and with room for what is taken out.
  const said = sanitizeText(shorten(description ?? title ?? name, 2 * MCP_DESCRIPTION_CHARACTERS));
  const kept = shorten(said, MCP_DESCRIPTION_CHARACTERS);
  const schema = inputSchema as JsonObject;
  if (boundsFault(schema, { size: MCP_SCHEMA_SIZE }) === null)
    return { description: kept, inputSchema: schema };
  const bare = boundsFault(schema) === null ? withoutWords(schema) : null;
  if (isPlainObject(bare) && boundsFault(bare, { size: MCP_SCHEMA_SIZE }) === null)
    return { description: kept, inputSchema: bare as JsonObject };
  const note = '\n(Its schema is too large to be shown. The server says what is wrong with a call.)';
  return { description: `${kept}${note}`, inputSchema: { type: 'object', additionalProperties: true } };
}

const WORDS = new Set(['description', 'title', 'examples', 'example', 'default', '$comment']);
/** Below these the keys are names that the server chose. */
const NAMES = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** The schema without what only explains it. */
function withoutWords(schema: unknown, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withoutWords(item));
  if (!isPlainObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => areNames || !WORDS.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, withoutWords(value, !areNames && NAMES.has(key))]),
  );
}

/** About as many characters as it takes in a request. */
export function sizeOfTool({
  description,
  inputSchema,
}: {
  description: string;
  inputSchema: JsonObject;
}): number {
  return description.length + JSON.stringify(inputSchema).length;
}
