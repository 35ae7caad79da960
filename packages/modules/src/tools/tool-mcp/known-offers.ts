import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import type { McpServerConfig } from './mcp-config.js';
import { mcpCacheFolder } from './server-state.js';

/** What a server has to offer. */
export interface Offer {
  tools: McpTool[];
  resources: boolean;
  prompts: boolean;
}

/** More is asked for again each time. */
const MAX_BYTES = 2_000_000;
/** Programs are updated; what they offered long ago may be far from what they offer now. */
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;

/**
 * What a server offered when it was last asked, so that a session need not start it before a tool of it is called. Null when
 * that is unknown, too old or unreadable: then it is asked.
 */
export async function knownOffer(config: McpServerConfig): Promise<Offer | null> {
  try {
    const file = fileOf(config);
    const { size, mtimeMs } = await stat(file);
    if (size > MAX_BYTES || Date.now() - mtimeMs > MAX_AGE_MS) return null;
    const offer = JSON.parse(await readFile(file, 'utf8')) as Offer;
    return Array.isArray(offer.tools) ? offer : null;
  } catch {
    return null; // Asking the server is always right, only slower.
  }
}

/** Fails when it cannot be stored; nothing depends on it but the time of the next start. */
export async function storeOffer(config: McpServerConfig, offer: Offer): Promise<void> {
  const text = JSON.stringify(offer);
  if (text.length > MAX_BYTES) return;
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  const staging = join(folder(), `${randomUUID()}.tmp`);
  await writeFile(staging, text, { mode: 0o600, flag: 'wx' });
  await rename(staging, fileOf(config));
}

/** By everything that decides what it is, its variables and headers included: another key may see other tools. */
function fileOf({ start: _, required: __, start_wait_ms: ___, ...config }: McpServerConfig): string {
  const digest = createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 32);
  return join(folder(), `${digest}.json`);
}

function folder(): string {
  return join(mcpCacheFolder(), 'offers');
}
