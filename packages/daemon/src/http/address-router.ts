import { METHOD_NAME_ALL, type Params, type Result, type Router } from 'hono/router';

/** A part of an address, with what may follow it. */
interface Place<T> {
  words: Map<string, Place<T>>;
  /** What takes any word, under this name. */
  placeholder: { name: string; place: Place<T> } | undefined;
  /** In the order in which they were added, with those for every method among them. */
  handlers: Map<string, T[]>;
}

/**
 * Finds what an address leads to in one walk along its words. A word goes before a placeholder, whatever order they were added
 * in, so that no id hides it. The library's quick router refuses such addresses, and its other one compares them all.
 */
export class AddressRouter<T> implements Router<T> {
  readonly name = 'AddressRouter';
  readonly #root: Place<T> = newPlace();

  add(method: string, path: string, handler: T): void {
    let place = this.#root;
    for (const word of path.split('/').slice(1)) place = follow(place, word);
    const { handlers } = place;
    if (!handlers.has(method)) handlers.set(method, [...(handlers.get(METHOD_NAME_ALL) ?? [])]);
    for (const [each, list] of handlers) {
      if (each === method || method === METHOD_NAME_ALL) list.push(handler);
    }
  }

  match(method: string, path: string): Result<T> {
    const params: Params = {};
    const handlers = find(this.#root, path.split('/'), 1, method, params) ?? [];
    return [handlers.map((handler) => [handler, params])];
  }

  /** The methods an address takes, as they were added. */
  methods(path: string): string[] {
    return [...new Set(methodsAt(this.#root, path.split('/'), 1))];
  }
}

function newPlace<T>(): Place<T> {
  return { words: new Map(), placeholder: undefined, handlers: new Map() };
}

function follow<T>(place: Place<T>, word: string): Place<T> {
  if (word.startsWith(':')) {
    place.placeholder ??= { name: word.slice(1), place: newPlace() };
    if (place.placeholder.name === word.slice(1)) return place.placeholder.place;
    throw new Error(`Two names for one part of an address: ${place.placeholder.name} and ${word.slice(1)}.`);
  }
  const next = place.words.get(word) ?? newPlace<T>();
  place.words.set(word, next);
  return next;
}

/** The handlers of an address whose words before `at` led here; undefined when there are none for this method. */
function find<T>(
  { words: known, placeholder, handlers }: Place<T>,
  words: readonly string[],
  at: number,
  method: string,
  params: Params,
): T[] | undefined {
  const word = words[at];
  if (word === undefined) return handlers.get(method) ?? handlers.get(METHOD_NAME_ALL);
  const named = known.get(word);
  const found = named && find(named, words, at + 1, method, params);
  if (found || !placeholder || word === '') return found;
  const taken = find(placeholder.place, words, at + 1, method, params);
  if (taken) params[placeholder.name] = word;
  return taken;
}

function methodsAt<T>(
  { words: known, placeholder, handlers }: Place<T>,
  words: readonly string[],
  at: number,
): string[] {
  const word = words[at];
  if (word === undefined) return [...handlers.keys()];
  const named = known.get(word);
  return [
    ...(named ? methodsAt(named, words, at + 1) : []),
    ...(placeholder ? methodsAt(placeholder.place, words, at + 1) : []),
  ];
}
