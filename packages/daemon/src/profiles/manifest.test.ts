import { describe, expect, it } from 'vitest';
import { type Manifest, mergeConfig, readManifest } from './manifest.js';

const HEAD = 'profile: { name: p, version: 1.0, schema_version: 2 }';

function read(yaml: string, body = 'Body.'): Manifest {
  const result = readManifest(`---\n${yaml}\n---\n${body}`, 'p.md');
  if ('skipped' in result) throw new Error(result.skipped);
  return result.manifest;
}

describe('a manifest', () => {
  it('may have its version unquoted, a byte order mark and CRLF', () => {
    const text = `\uFEFF---\r\n${HEAD}\r\n---\r\nBody with --- in it.\r\n`;
    const result = readManifest(text, 'p.md');
    expect(result).toMatchObject({
      manifest: { name: 'p', version: '1', instruction: 'Body with --- in it.' },
    });
  });

  it.each(['context', 'context-manager', 'context_manager'])('may name its context manager %s', (key) => {
    const { modules } = read(
      `${HEAD}\nsession:\n  orchestrator: { module: loop-basic }\n  ${key}: { module: context-simple }`,
    );
    expect(modules.map(({ kind, module }) => [kind, module])).toEqual([
      ['orchestrator', 'loop-basic'],
      ['context-manager', 'context-simple'],
    ]);
  });

  it('may spell its schema version either way', () => {
    expect(read('profile: { name: p, version: "1", schema-version: 2 }').name).toBe('p');
  });

  it('is skipped when it is none, or of another version', () => {
    for (const text of [
      '# Readme',
      '---\ntitle: x\n---\n',
      '---\nprofile: { name: p, version: "1" }\n---\n',
      '---\nprofile: { name: p, schema_version: 1 }\n---\n',
    ]) {
      expect(readManifest(text, 'x.md')).toHaveProperty('skipped');
    }
  });

  it('takes agents as a map, as a list and inline', () => {
    expect(
      read(`${HEAD}\nagents: { a: ./a.md, b: { description: B }, inline: { c: { description: C } } }`).agents,
    ).toEqual([
      { name: 'a', ref: './a.md', inline: null },
      { name: 'b', ref: null, inline: { description: 'B' } },
      { name: 'c', ref: null, inline: { description: 'C' } },
    ]);
    expect(read(`${HEAD}\nagents: [./a.md]`).agents).toEqual([{ name: null, ref: './a.md', inline: null }]);
    expect(read(`${HEAD}\ncontext: [./a, ./b]`).context.map(({ name }) => name)).toEqual([
      'context_0',
      'context_1',
    ]);
  });

  it('lets a second entry of a module patch the first', () => {
    const manifest = read(`${HEAD}
providers:
  - { module: provider-a, source: ./x, config: { keep: 1, list: [1, 2], gone: 1 } }
  - { module: provider-a, config: { list: [3], gone: null } }
tools:
  - { module: tool-a, id: one, source: ./x }
  - { module: tool-a, id: two, source: ./y }
  - { module: tool-b, source: ./z }
  - { module: tool-b, source: ./z }`);
    expect(manifest.modules).toHaveLength(4);
    expect(manifest.modules[0]).toMatchObject({ source: './x', config: { keep: 1, list: [3] } });
    expect(manifest.modules[0]?.config).not.toHaveProperty('gone');
    expect(manifest.warnings.map(({ code }) => code)).toEqual(['REPEATED_MODULE']);
    expect(() => read(`${HEAD}\ntools: [{ module: t, source: ./x }, { module: t, source: ./y }]`)).toThrow(
      /two sources/,
    );
  });

  it('keeps what it does not know, and says so', () => {
    const manifest = read(
      `${HEAD.replace('}', ', extends: old }')}\nmystery: 1\nui: { show: true }\ntask: { max_recursion_depth: 1 }`,
    );
    expect(manifest).toMatchObject({
      extra: { mystery: 1 },
      ui: { show: true },
      task: { max_recursion_depth: 1 },
    });
    expect(manifest.warnings.map(({ code }) => code).sort()).toEqual(['EXTENDS_IGNORED', 'UNKNOWN_SECTION']);
  });

  it.each([
    ['profile: { name: "../x", version: "1", schema_version: 2 }'],
    ['profile: { name: Big, version: "1", schema_version: 2 }'],
    ['profile: { name: p, schema_version: 2 }'],
    [`${HEAD}\nsession: []`],
    [`${HEAD}\nsession: { context: x }`],
    [`${HEAD}\ntools: {}`],
    [`${HEAD}\ntools: [{ source: x }]`],
    [`${HEAD}\ntools: [{ module: "../x" }]`],
    [`${HEAD}\ntools: [{ module: x, source: 5 }]`],
    [`${HEAD}\ntools: [{ module: x, config: 5 }]`],
    [`${HEAD}\nagents: 5`],
    [`${HEAD}\nagents: [5]`],
    [`${HEAD}\nagents: { a: 5 }`],
    [`${HEAD}\nagents: { inline: { a: 5 } }`],
    [`${HEAD}\ncontext: 5`],
    [`${HEAD}\ncontext: { a: 5 }`],
    [`${HEAD}\ncontext: { "../a": ./x }`],
    ['profile: [unclosed'],
  ])('is refused when it says %j', (yaml) => {
    expect(() => read(yaml)).toThrow(/p\.md/);
  });
});

it('a patch with the name of a prototype changes no prototype', () => {
  const merged = mergeConfig(
    { a: {} },
    JSON.parse('{"__proto__": {"polluted": true}, "a": {"__proto__": {"polluted": true}}}'),
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect((merged as { polluted?: boolean }).polluted).toBeUndefined();
});
