import type { DataAttachment, Question } from '@amplifier/host';
import {
  type AutocompleteProvider,
  Editor,
  matchesKey,
  type TUI,
  wrapTextWithAnsi,
} from '@earendil-works/pi-tui';
import type { Cli } from '../../cli.js';
import { screenText } from '../../terminal/screen.js';
import { questionText } from '../ask-person.js';
import { readHistory, remember } from '../history.js';
import type { OpenQuestion } from '../open-questions.js';
import { PastedImages } from '../pasted-images.js';
import type { ScreenEvents, TalkScreen, TurnView } from '../talk-screen.js';
import { BottomRegion } from './bottom-region.js';
import { Choices } from './choices.js';
import { editOutside } from './edit-outside.js';
import { HistorySearch } from './history-search.js';
import { Keyboard } from './keyboard.js';
import { statusLine } from './status-line.js';
import { makeTheme, type Theme } from './theme.js';
import { TurnPicture } from './turn-picture.js';

/** While a turn runs it is drawn this often: smooth to the eye, nothing to the machine. */
const FRAME_MS = 100;
/** What is typed is shown at once, several keys of one moment together. */
const KEY_MS = 8;
const DRAFT_HINT = 'Enter sends what you write to the turn, Ctrl-U clears it; then answer.';

export interface RichScreenOptions {
  cli: Cli;
  historyFile: string;
  events: ScreenEvents;
  completions: AutocompleteProvider;
  hasColors: boolean;
  /** How many tokens a model takes; null when that is unknown. */
  contextWindow: (model: string) => number | null;
}

/** A conversation in a terminal that can move its cursor: words above, and below them what happens, how it stands, and the input. */
export class RichScreen implements TalkScreen {
  readonly #options: RichScreenOptions;
  readonly #region = new BottomRegion(process.stdout);
  readonly #theme: Theme;
  readonly #editor: Editor;
  readonly #keyboard: Keyboard;
  readonly #images: PastedImages;
  readonly #history: string[];
  #turn: TurnPicture | null = null;
  #question: Question | null = null;
  #choices: Choices | null = null;
  #search: HistorySearch | null = null;
  #isStopping = false;
  #spent = { tokens: 0, cost: null as number | null };
  #model: string | null = null;
  #sent = 0;
  #frames: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #committed: string[] = [];
  #isOpen = true;

  constructor(options: RichScreenOptions) {
    this.#options = options;
    this.#theme = makeTheme(options.hasColors);
    this.#images = new PastedImages(options.cli.cwd);
    const region = this.#region;
    const surroundings = {
      requestRender: () => this.#drawSoon(),
      terminal: {
        get rows() {
          return region.rows;
        },
      },
    } as unknown as TUI;
    this.#editor = new Editor(surroundings, this.#theme.editor, { paddingX: 0 });
    this.#editor.focused = true;
    this.#editor.setAutocompleteProvider(options.completions);
    this.#editor.onSubmit = (text) => this.#submit(text);
    this.#history = readHistory(options.historyFile);
    for (const entry of this.#history) this.#editor.addToHistory(entry);
    this.#keyboard = new Keyboard({
      onKey: (key) => this.#press(key),
      onPaste: (text) => this.#insert(this.#images.take(text)),
      onResize: () => this.#draw(),
      onHangUp: () => options.events.onEnd(),
    });
    this.#keyboard.attach();
  }

  print(...lines: string[]): void {
    const all = lines.flatMap((line) => screenText(line).split('\n'));
    this.#commit(all.flatMap((line) => wrapIndented(line, this.#region.width)));
  }

  get inFront(): boolean | null {
    return this.#keyboard.inFront;
  }

  prompt(): void {
    this.#drawSoon();
  }

  ask(open: OpenQuestion | null): void {
    const question = open?.question ?? null;
    this.#question = question;
    this.#choices = question && question.options.length > 0 ? new Choices(question) : null;
    if (question) this.print(questionText({ ...question, options: [] }, this.#options.cli.color));
    this.#drawSoon();
  }

  expectModel(model: string | null): void {
    this.#model = model ?? this.#model;
    this.#drawSoon();
  }

  clearLine(): void {
    this.#editor.setText('');
    this.#drawSoon();
  }

  showTurn(): TurnView {
    const picture = new TurnPicture(this.#options.cli, this.#theme);
    this.#turn = picture;
    this.#isStopping = false;
    this.#frames = setInterval(() => this.#draw(), FRAME_MS);
    const now = Date.now;
    return {
      onEvent: (name, data) => picture.onEvent(name, data, now()),
      get spoken() {
        return picture.spoken;
      },
      stopping: () => {
        this.#isStopping = true;
        this.#draw();
      },
      end: () => this.#endTurn(picture),
    };
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#draw();
    this.#isOpen = false;
    clearInterval(this.#frames ?? undefined);
    clearTimeout(this.#soon ?? undefined);
    this.#region.close();
    this.#keyboard.detach();
  }

  #endTurn(picture: TurnPicture): void {
    clearInterval(this.#frames ?? undefined);
    this.#frames = null;
    const { tokens, cost } = picture.spent;
    this.#spent = {
      tokens: this.#spent.tokens + tokens,
      cost: cost === null ? this.#spent.cost : (this.#spent.cost ?? 0) + cost,
    };
    this.#model = picture.model ?? this.#model;
    this.#sent = picture.sent || this.#sent;
    const left = picture.end(this.#region.width, Date.now());
    this.#turn = null;
    this.#commit([...left, '']);
  }

  #commit(lines: readonly string[]): void {
    // What the turn told before comes before.
    const { final = [] } = this.#turn?.take(this.#region.width, this.#region.rows, Date.now()) ?? {};
    this.#committed.push(...final, ...lines);
    if (this.#isOpen) this.#draw();
    else
      process.stdout.write(
        this.#committed
          .splice(0)
          .map((line) => `${line}\n`)
          .join(''),
      );
  }

  #drawSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      this.#draw();
    }, KEY_MS);
  }

  #draw(): void {
    if (!this.#isOpen) return;
    const { width, rows } = this.#region;
    const now = Date.now();
    const bottom = this.#bottom(width, now);
    const moving = this.#turn?.take(width, rows - bottom.length - 1, now);
    this.#region.draw(
      [...(moving?.live ?? []), ...bottom],
      [...this.#committed.splice(0), ...(moving?.final ?? [])],
    );
  }

  #bottom(width: number, now: number): string[] {
    const status = this.#theme.dim(statusLine(this.#standing(), now, width));
    if (this.#search) return [...this.#search.lines(width, this.#theme), status];
    if (!this.#choices) return [...this.#editor.render(width), status];
    const choices = this.#choices.lines(width, this.#theme);
    if (this.#editor.getText() === '') return [...choices, status];
    const hint = wrapTextWithAnsi(this.#theme.dim(DRAFT_HINT), width);
    return [...choices, ...hint, ...this.#editor.render(width), status];
  }

  #standing() {
    const turn = this.#turn;
    const model = turn?.model ?? this.#model;
    const sent = turn?.sent || this.#sent;
    const spent = turn?.spent ?? { tokens: 0, cost: null };
    const window = model === null ? null : this.#options.contextWindow(model);
    return {
      model,
      context: sent === 0 ? null : { used: sent, window },
      tokens: this.#spent.tokens + spent.tokens,
      cost: spent.cost === null ? this.#spent.cost : (this.#spent.cost ?? 0) + spent.cost,
      node: turn?.root ?? null,
      isAsking: this.#question !== null,
      isStopping: this.#isStopping && turn !== null,
    };
  }

  #press(key: string): void {
    if (this.#search) this.#pressInSearch(this.#search, key);
    else if (this.#choices) this.#pressInChoices(this.#choices, key);
    else this.#pressInInput(key);
    this.#drawSoon();
  }

  #pressInInput(key: string): void {
    const { events } = this.#options;
    const text = this.#editor.getText();
    if (matchesKey(key, 'ctrl+c')) events.onInterrupt(text);
    else if (matchesKey(key, 'escape') && this.#stopsOrLeaves(text)) events.onInterrupt(text);
    else if (matchesKey(key, 'ctrl+d') && text === '') events.onEnd();
    else if (matchesKey(key, 'ctrl+g')) this.#editOutside();
    else if (matchesKey(key, 'ctrl+v')) this.#pasteImage();
    else if (matchesKey(key, 'ctrl+r')) this.#search = new HistorySearch(this.#history);
    else this.#editor.handleInput(key);
  }

  #insert(text: string): void {
    this.#editor.handleInput(`\x1b[200~${text}\x1b[201~`);
    this.#drawSoon();
  }

  #pasteImage(): void {
    const words = this.#images.takeClipboard();
    if (words === null)
      this.print(
        'The clipboard has no image, or no program to read it is installed (wl-paste, xclip or pngpaste).',
      );
    else this.#insert(words);
  }

  attached(text: string): DataAttachment[] {
    return this.#images.in(text);
  }

  /** Esc stops a turn, and right after that it leaves; elsewhere it belongs to the input. */
  #stopsOrLeaves(text: string): boolean {
    if (this.#editor.isShowingAutocomplete()) return false;
    return this.#turn !== null || (this.#isStopping && text === '');
  }

  /** A question may come in the middle of a word: what is being written is never taken for an answer. */
  #pressInChoices(choices: Choices, key: string): void {
    const isInterrupt = matchesKey(key, 'ctrl+c') || matchesKey(key, 'escape');
    if (isInterrupt || matchesKey(key, 'ctrl+d')) {
      this.#answer(choices.no);
      if (isInterrupt) this.#options.events.onInterrupt('');
      return;
    }
    const meant = this.#editor.getText() === '' ? choices.press(key) : 'other';
    if (meant === 'other') this.#editor.handleInput(key);
    else if (meant !== 'moved') this.#answer(meant.answer);
  }

  #answer(answer: string | null): void {
    if (answer === null) return;
    this.#question = null;
    this.#choices = null;
    this.print(this.#options.cli.color.dim(`  ${answer}`));
    this.#turn?.separate();
    this.#options.events.onAnswer(answer);
  }

  #pressInSearch(search: HistorySearch, key: string): void {
    const pressed = search.press(key);
    if (pressed.open) return;
    if (pressed.taken !== undefined) this.#editor.setText(pressed.taken);
    this.#search = null;
  }

  #submit(text: string): void {
    const { historyFile, events } = this.#options;
    this.#editor.setText('');
    this.#isStopping = false;
    if (text.trim() === '' && this.#question === null) return;
    remember(historyFile, text);
    this.#history.push(text.trim());
    this.#editor.addToHistory(text);
    const lines = text.split('\n');
    const shown =
      lines.length > 12
        ? [...lines.slice(0, 5), `… ${lines.length - 10} lines …`, ...lines.slice(-5)]
        : lines;
    const width = this.#region.width - 2;
    const [first = '', ...rest] = shown.flatMap((line) => wrapTextWithAnsi(screenText(line), width));
    this.print(`${this.#options.cli.color.bold('›')} ${first}`, ...rest.map((line) => `  ${line}`), '');
    // A question without answers to choose from is answered in words.
    if (this.#question && !this.#choices) events.onAnswer(text);
    else events.onInput(text);
  }

  #editOutside(): void {
    this.#region.close();
    this.#keyboard.detach();
    const written = editOutside(this.#editor.getExpandedText());
    this.#keyboard.attach();
    if (written === null) this.print('Set EDITOR to your editor, then press Ctrl-G again.');
    else this.#editor.setText(written);
    this.#draw();
  }
}

/** What is indented stays so when it is broken. */
function wrapIndented(line: string, width: number): string[] {
  const [whole = '', colors = '', indent = ''] = INDENTED.exec(line) ?? [];
  const parts = wrapTextWithAnsi(colors + line.slice(whole.length), Math.max(10, width - indent.length));
  return parts.map((part) => `${indent}${part}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes of a terminal
const INDENTED = /^((?:\x1b\[[\d;]*m)*)( *)/;
