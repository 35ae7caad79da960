import { type DelegationTree, foldEvent, redactSecrets } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { nodeLine, SHOWN_EVENTS } from './draw-tree.js';
import { liveView, type Watcher } from './live-view.js';
import { fallbackWords } from './say-fallback.js';
import { writeJson } from './screen.js';

const STILL = { pause() {}, resume() {}, close() {} };

export type OutputForm = 'text' | 'json' | 'jsonl';

/** How a running session is shown: a picture in a terminal, lines with `--verbose`, events as JSON, or not at all. */
export function watchSession(cli: Cli, form: OutputForm): Watcher {
  if (form === 'jsonl') {
    return {
      onEvent: (name, data) => writeJson({ event: name, ...redactSecrets(data) }),
      ...STILL,
    };
  }
  return announcing(cli, quietOrNot(cli, form));
}

function quietOrNot(cli: Cli, form: OutputForm): Watcher {
  if (cli.quiet) return { onEvent() {}, ...STILL };
  if (process.stderr.isTTY && form === 'text' && !cli.verbose) return liveView(cli);
  if (cli.verbose) return progressLines(cli);
  return { onEvent() {}, ...STILL };
}

/** Says what must not happen without a word, whatever else is shown. */
function announcing(cli: Cli, watcher: Watcher): Watcher {
  return {
    ...watcher,
    onEvent(name, data) {
      watcher.onEvent(name, data);
      if (name !== 'provider:fallback') return;
      watcher.pause();
      cli.say(fallbackWords(data));
      watcher.resume();
    },
  };
}

/** Says what happens line by line, where a picture that moves cannot be drawn. */
function progressLines(cli: Cli): Watcher {
  const tree: DelegationTree = new Map();
  return {
    onEvent(name, data) {
      foldEvent(tree, { name, data, time: new Date().toISOString() });
      if (!SHOWN_EVENTS.has(name)) return;
      const node = tree.get(String(data.sub_session_id ?? data.session_id));
      if (node) cli.say(nodeLine(node));
    },
    pause() {},
    resume() {},
    close() {},
  };
}
