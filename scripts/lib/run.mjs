import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

const HEARTBEAT_MS = 10_000;

/**
 * Runs a command in the repository with its output shown, and with `env` beside our own variables or, with `replace`, instead of
 * them. Resolves to its exit code.
 */
export function run(command, args, { env, label, replace = false } = {}) {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      env: replace ? env : { ...process.env, ...env },
    });
    const heartbeat =
      label &&
      setInterval(() => say(`${label}: ${Math.round((Date.now() - started) / 1000)} s`), HEARTBEAT_MS);
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearInterval(heartbeat);
      process.off('SIGINT', forward).off('SIGTERM', forward);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

/** Runs a command in the repository and resolves with its exit code and all it said. */
export function runSilently(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('error', reject).on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Like `run`, but ends this process when the command fails. */
export async function mustRun(command, args, options) {
  const code = await run(command, args, options);
  if (code === 0) return;
  say(`${options?.label ?? command} failed (exit code ${code}).`);
  process.exit(code);
}

/** Progress goes to stderr, so that a program's own output can be piped. */
export function say(text) {
  process.stderr.write(`» ${text}\n`);
}
