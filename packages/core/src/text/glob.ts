export interface GlobOptions {
  /** `*` and `?` match a slash, too: for names that are no paths. */
  anywhere?: boolean;
  /** Wildcards match names that begin with a dot. */
  dot?: boolean;
  nocase?: boolean;
  /** A placeholder character for any text. The text matches if it does for one value of each placeholder. */
  unknown?: string;
  /** What all matching that shares it may take, in steps. A `RangeError` says that it is used up. */
  effort?: { steps: number };
}

/** One step of a pattern. A set has the characters it takes, or refuses. */
type Token =
  | { kind: 'character'; value: string }
  | { kind: 'any' }
  | { kind: 'star' }
  | { kind: 'globstar' }
  | { kind: 'set'; negated: boolean; ranges: [string, string][] };

const MAX_PATTERN = 1_000;
/** `{a,b}{c,d}…` stands for the product of its parts. */
const MAX_ALTERNATIVES = 256;
const MAX_EXPANDED = 20_000;

/**
 * Globs: `*`, `**`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`, `\` before a character that means itself, and `!` in front to turn it round.
 * Matching never backtracks: it takes at most the length of the pattern times that of the text, whoever wrote them. Of a list
 * of patterns one must match. Throws when a pattern is too long.
 */
export function glob(
  patterns: string | readonly string[],
  options: GlobOptions = {},
): (text: string) => boolean {
  const matchers = [patterns].flat().map((pattern) => compile(pattern, options));
  return (text) => matchers.some((matches) => matches(text));
}

/** A glob that matches only this text. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{}\\!]/g, '\\$&');
}

function compile(pattern: string, options: GlobOptions): (text: string) => boolean {
  if (pattern.length > MAX_PATTERN)
    throw new RangeError(`A glob may have ${MAX_PATTERN} characters; this one has ${pattern.length}.`);
  if (pattern.startsWith('!')) {
    const matches = compile(pattern.slice(1), options);
    // With a part that is unknown, one of its values almost surely does not match.
    return (text) => (options.unknown !== undefined && text.includes(options.unknown)) || !matches(text);
  }
  const folded = (text: string) => (options.nocase ? text.toLowerCase() : text);
  const expanded = expandBraces(folded(pattern));
  const size = expanded.reduce((total, { length }) => total + length, 0);
  if (size > MAX_EXPANDED)
    throw new RangeError(`A glob may stand for ${MAX_EXPANDED} characters; this one stands for ${size}.`);
  if (options.effort) options.effort.steps -= size;
  const alternatives = expanded.map((each) => tokenize(each, options));
  return (text) => alternatives.some((tokens) => run(tokens, folded(text), options));
}

/** Walks the text once with the set of places in the pattern that it may have reached. */
function run(
  tokens: readonly Token[],
  text: string,
  { anywhere = false, dot = false, unknown, effort }: GlobOptions,
): boolean {
  let places = closure(new Set([0]), tokens);
  for (let at = 0; at < text.length && places.size > 0; at++) {
    if (effort) effort.steps -= places.size;
    if (effort && effort.steps < 0)
      throw new RangeError('Holding the patterns against this takes longer than anything real does.');
    const character = text[at] as string;
    if (character === unknown) {
      places = from(Math.min(...places), tokens.length);
      continue;
    }
    const isHidden = !dot && !anywhere && character === '.' && (at === 0 || text[at - 1] === '/');
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (!token) continue;
      if (token.kind === 'character') {
        if (token.value === character) next.add(place + 1);
        continue;
      }
      if (isHidden || (character === '/' && token.kind !== 'globstar' && !anywhere)) continue;
      if (token.kind === 'star' || token.kind === 'globstar') next.add(place);
      else if (token.kind === 'any' || inSet(token, character)) next.add(place + 1);
    }
    places = closure(next, tokens);
  }
  return places.has(tokens.length);
}

function from(first: number, last: number): Set<number> {
  return new Set(Array.from({ length: last - first + 1 }, (_, at) => first + at));
}

/** Stars may stand for nothing; `a/**` + `/b` may stand for `a/b`. */
function closure(places: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token?.kind === 'star' || token?.kind === 'globstar') places.add(place + 1);
    if (
      token?.kind === 'globstar' &&
      isSlash(tokens[place + 1]) &&
      (place === 0 || isSlash(tokens[place - 1]))
    )
      places.add(place + 2);
    // `a/**` is also `a` itself.
    if (isSlash(token) && tokens[place + 1]?.kind === 'globstar' && place + 2 === tokens.length)
      places.add(tokens.length);
  }
  return places;
}

function isSlash(token: Token | undefined): boolean {
  return token?.kind === 'character' && token.value === '/';
}

function inSet({ negated, ranges }: Extract<Token, { kind: 'set' }>, character: string): boolean {
  return ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

function tokenize(pattern: string, { anywhere = false }: GlobOptions): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === '\\' && at + 1 < pattern.length) {
      tokens.push({ kind: 'character', value: pattern[++at] as string });
    } else if (character === '*') {
      let stars = 1;
      while (pattern[at + 1] === '*') {
        stars++;
        at++;
      }
      tokens.push({ kind: stars > 1 || anywhere ? 'globstar' : 'star' });
    } else if (character === '?') {
      tokens.push({ kind: 'any' });
    } else if (character === '[') {
      const set = readSet(pattern, at);
      if (set) {
        tokens.push(set.token);
        at = set.end;
      } else tokens.push({ kind: 'character', value: character });
    } else tokens.push({ kind: 'character', value: character });
  }
  return tokens;
}

function readSet(pattern: string, start: number): { token: Token; end: number } | null {
  const negated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  let at = start + (negated ? 2 : 1);
  const ranges: [string, string][] = [];
  const first = at;
  for (; at < pattern.length && (pattern[at] !== ']' || at === first); at++) {
    if (pattern[at] === '\\') at++;
    const from = pattern[at];
    if (from === undefined) return null;
    const isRange = pattern[at + 1] === '-' && pattern[at + 2] !== undefined && pattern[at + 2] !== ']';
    ranges.push([from, isRange ? (pattern[at + 2] as string) : from]);
    if (isRange) at += 2;
  }
  return at < pattern.length ? { token: { kind: 'set', negated, ranges }, end: at } : null;
}

/** `a{b,c}` as `ab` and `ac`. A brace without a comma or an end is plain text. */
function expandBraces(pattern: string): string[] {
  const open = findBrace(pattern);
  if (!open) return [pattern];
  const { start, end, parts } = open;
  const tails = expandBraces(pattern.slice(end + 1));
  const heads = parts.flatMap(expandBraces);
  if (heads.length * tails.length > MAX_ALTERNATIVES)
    throw new RangeError(`A glob may stand for ${MAX_ALTERNATIVES} patterns; this one stands for more.`);
  return heads.flatMap((head) => tails.map((tail) => `${pattern.slice(0, start)}${head}${tail}`));
}

function findBrace(pattern: string): { start: number; end: number; parts: string[] } | null {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === '\\') start++;
    else if (pattern[start] === '{') {
      const group = readGroup(pattern, start);
      if (group && group.parts.length > 1) return { start, ...group };
    }
  }
  return null;
}

function readGroup(pattern: string, start: number): { end: number; parts: string[] } | null {
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '{') depth++;
    else if (character === ',' && depth === 1) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    } else if (character === '}' && --depth === 0) {
      parts.push(pattern.slice(from, at));
      return { end: at, parts };
    }
  }
  return null;
}
