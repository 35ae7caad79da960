import type { EventType, State } from 'js-yaml';

interface Node {
  line: number;
  kind: string | null;
  /** Of a mapping: key, value, key, value. Of a list: its items. */
  children: Node[];
  /** What a scalar says. */
  text: string;
}

/** Where in a text each value stood, learned while the parser reads. Lines count from 0. */
export class YamlPlaces {
  readonly #open: Node[] = [];
  #top: Node | null = null;

  readonly listener = (event: EventType, state: State): void => {
    if (event === 'open') {
      this.#open.push({ line: state.line, kind: null, children: [], text: '' });
      return;
    }
    const node = this.#open.pop();
    if (!node) return;
    node.kind = state.kind;
    // An alias stands for a whole value, which may be large.
    if (typeof state.result !== 'object') node.text = String(state.result);
    const outer = this.#open.at(-1);
    if (outer) outer.children.push(node);
    else this.#top = node;
  };

  /** The line of the value at `path`, or of the nearest one above it that exists. */
  lineOf(path: readonly PropertyKey[]): number {
    let node = this.#top;
    let line = node?.line ?? 0;
    for (const step of path) {
      node = node ? childAt(node, step) : null;
      if (!node) break;
      line = node.line;
    }
    return line;
  }

  /** The path of the value that stands last. */
  lastPath(): string[] {
    const path: string[] = [];
    for (let node = this.#top; node && node.children.length > 0; node = node.children.at(-1) ?? null)
      path.push(
        node.kind === 'mapping' ? (node.children.at(-2)?.text ?? '') : String(node.children.length - 1),
      );
    return path;
  }

  /** Lines of keys that their mapping has already. */
  repeatedKeys(): number[] {
    return this.#top ? repeated(this.#top) : [];
  }
}

function childAt({ kind, children }: Node, step: PropertyKey): Node | null {
  if (kind !== 'mapping') return children[Number(step)] ?? null;
  const at = children.findLastIndex((child, index) => index % 2 === 0 && child.text === String(step));
  return at === -1 ? null : (children[at + 1] ?? null);
}

function repeated({ kind, children }: Node): number[] {
  const seen = new Set<string>();
  return children.flatMap((child, index) => {
    if (kind !== 'mapping' || index % 2 === 1) return repeated(child);
    if (seen.has(child.text)) return [child.line];
    seen.add(child.text);
    return [];
  });
}
