import { spawn } from 'node:child_process';
import { programPath } from '@amplifier/host';

/** Asks the desktop to open it. False where there is none. */
export function openInBrowser(url: string): Promise<boolean> {
  const { platform, env } = process;
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY && !env.BROWSER)
    return Promise.resolve(false);
  const [program, ...args] = commandFor(platform, env.BROWSER);
  return new Promise((resolve) => {
    const child = spawn(program as string, [...args, url], {
      detached: true,
      stdio: 'ignore',
      env: { ...env, PATH: programPath() },
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(platform: NodeJS.Platform, browser: string | undefined): string[] {
  if (browser) return [browser];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
