import { StdinBuffer } from '@earendil-works/pi-tui';

/** Pastes come in one piece, and the terminal says when it is in front and when not. */
const MODES = ['\x1b[?2004h\x1b[?1004h', '\x1b[?1004l\x1b[?2004l'] as const;
const [FOCUS_IN, FOCUS_OUT] = ['\x1b[I', '\x1b[O'];

export interface KeyboardEvents {
  onKey(key: string): void;
  onPaste(text: string): void;
  onResize(): void;
  /** The terminal went away. */
  onHangUp(): void;
}

/** The terminal of a person, key by key. */
export class Keyboard {
  readonly #keys = new StdinBuffer();
  readonly #events: KeyboardEvents;
  #isFresh = true;
  /** Null where the terminal has not said. */
  inFront: boolean | null = null;

  constructor(events: KeyboardEvents) {
    this.#events = events;
    this.#keys.on('data', (key) => {
      if (key === FOCUS_IN || key === FOCUS_OUT) this.inFront = key === FOCUS_IN;
      else events.onKey(key);
    });
    this.#keys.on('paste', (text) => events.onPaste(text));
  }

  attach(): void {
    const { stdin, stdout } = process;
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on('data', this.#onData);
    stdin.on('end', this.#events.onHangUp);
    stdout.on('resize', this.#events.onResize);
    stdout.write(MODES[0]);
    // The first turn of the loop reads what is there, and the second comes after that.
    setImmediate(() =>
      setImmediate(() => {
        this.#isFresh = false;
      }),
    );
  }

  detach(): void {
    const { stdin, stdout } = process;
    stdout.write(MODES[1]);
    stdout.off('resize', this.#events.onResize);
    stdin.off('end', this.#events.onHangUp);
    stdin.off('data', this.#onData);
    stdin.setRawMode(false);
    stdin.pause();
  }

  readonly #onData = (data: Buffer): void => {
    // What was typed before the screen was there came line by line, its ends as line feeds.
    const text = this.#isFresh ? data.toString().replaceAll('\n', '\r') : data;
    this.#isFresh = false;
    this.#keys.process(text);
  };
}
