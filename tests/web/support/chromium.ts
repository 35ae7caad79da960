import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The engine without a window to draw: a third of the processor time. */
const PROGRAM = '/usr/bin/chromium-headless-shell';

/** Is there a browser to test with? */
export const hasChromium = exists(PROGRAM);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Memory that browsers share lies in a folder that a sandbox does not have.
  '--disable-dev-shm-usage',
];

export function startChromium(flags: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, headless: true, args: [...FLAGS, ...flags] });
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
