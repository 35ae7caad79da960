import { readdir, readFile } from 'node:fs/promises';
import { parseYamlMapping } from '@amplifier/foundation';
import { expect, it } from 'vitest';
import { DaemonConfig } from '../packages/daemon/src/config.js';

const folder = new URL('../deploy/', import.meta.url);
const text = (name: string) => readFile(new URL(name, folder), 'utf8');

/** Variables that are no members of the configuration. */
const OTHERS = new Set(['AMPLIFIERD_HOME', 'AMPLIFIERD_TOKEN']);

it('what deploy/ sets is what the daemon reads, and its files are well formed', async () => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.\w+$/.test(name));
  const members = new Set(Object.keys(DaemonConfig.shape).map((key) => `AMPLIFIERD_${key.toUpperCase()}`));
  for (const name of [...names, 'Dockerfile'])
    for (const [variable] of (await text(name)).matchAll(/AMPLIFIERD_[A-Z_]+/g))
      expect(members.has(variable) || OTHERS.has(variable), `${variable} in ${name}`).toBe(true);
  const yaml = (part: string) => parseYamlMapping({ text: part, file: 'deploy' }).data;
  const compose = yaml(await text('compose.yaml')) as { services: Record<string, { command?: string[] }> };
  expect(Object.keys(compose.services)).toEqual(['postgres', 'daemon-1', 'daemon-2', 'worker', 'proxy']);
  expect(compose.services.worker?.command?.[0]).toBe('worker');
  const kinds = (await text('kubernetes/amplifier.yaml')).split('\n---\n').map((part) => yaml(part).kind);
  expect(kinds).toEqual(['Deployment', 'PersistentVolumeClaim', 'Service', 'PodDisruptionBudget']);
  const unit = await text('amplifierd.service');
  for (const section of ['[Unit]', '[Service]', '[Install]']) expect(unit).toContain(section);
});
