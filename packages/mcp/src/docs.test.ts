import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { TOOLS } from './build-server.js';
import { MCP_ERROR_CODES, OBSERVED_ERROR_CODES, RUN_ERROR_CODES } from './error-codes.js';
import { BUILT_IN_ROLES } from './roles/built-in-roles.js';

const PAGE = fileURLToPath(new URL('../../../docs/mcp.md', import.meta.url));

interface Property {
  type?: string | string[];
  enum?: string[];
  description?: string;
  anyOf?: Property[];
}

function typeOf({ type, enum: values, anyOf }: Property): string {
  if (values) return values.join(', ');
  const kinds = (anyOf ?? []).filter((each) => each.type !== 'null').map(typeOf);
  const named = [type ?? kinds].flat().filter((each) => each !== 'null');
  return named.join(' or ') || 'any';
}

function toolSections(): string {
  return TOOLS.map(({ name, description, input }) => {
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' }) as {
      properties?: Record<string, Property>;
      required?: string[];
    };
    const rows = Object.entries(properties).map(
      ([key, property]) =>
        `| \`${key}\`${required.includes(key) ? ' (required)' : ''} | ${typeOf(property)} | ${property.description ?? property.anyOf?.find((each) => each.description)?.description ?? ''} |`,
    );
    const table = rows.length > 0 ? `\n\n| input | takes | |\n|---|---|---|\n${rows.join('\n')}` : '';
    return `### \`${name}\`\n\n${description}${table}`;
  }).join('\n\n');
}

function codeTables(): string {
  const rows = (codes: Record<string, readonly [string, string]>) =>
    Object.entries(codes).map(([code, [meaning, safety]]) => `| \`${code}\` | ${meaning} | ${safety} |`);
  const observed = Object.entries(OBSERVED_ERROR_CODES).map(
    ([code, meaning]) => `| \`${code}\` | ${meaning} | by what was seen |`,
  );
  return [
    '| code | meaning | running it again |',
    '|---|---|---|',
    ...rows(MCP_ERROR_CODES),
    ...rows(RUN_ERROR_CODES),
    ...observed,
  ].join('\n');
}

function roleTable(): string {
  return [
    '| role | |',
    '|---|---|',
    ...BUILT_IN_ROLES.map(({ id, description }) => `| \`${id}\` | ${description} |`),
  ].join('\n');
}

/** Run with UPDATE_DOCS=1 to write the page anew. */
it('is documented as it is: every tool, input, role and error code', async () => {
  const before = await readFile(PAGE, 'utf8');
  const after = [
    ['tools', toolSections()] as const,
    ['roles', roleTable()] as const,
    ['codes', codeTables()] as const,
  ].reduce(
    (text, [name, content]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(\n<!-- /${name} -->)`),
        (_, open: string, close: string) => `${open}${content}${close}`,
      ),
    before,
  );
  if (process.env.UPDATE_DOCS === '1') await writeFile(PAGE, after);
  else expect(before).toBe(after);
});
