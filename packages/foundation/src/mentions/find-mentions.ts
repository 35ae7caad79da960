const MENTION = /(?<![\w@./\\:-])@([A-Za-z0-9_~.][A-Za-z0-9_:./\\~-]*)/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The `@path` mentions of a text in order, each once, without the @. Code spans, fenced code and e-mail addresses hold none. */
export function findMentions(text: string): string[] {
  if (!text.includes('@')) return [];
  const prose = withoutCodeSpans(withoutFences(text));
  const found = [...prose.matchAll(MENTION)].map(([, mention = '']) => withoutEnd(mention));
  return [...new Set(found.filter((mention) => /[A-Za-z0-9]/.test(mention)))];
}

/** A fence that is never closed reaches to the end, as it does for a reader of Markdown. */
function withoutFences(text: string): string {
  const kept: string[] = [];
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const [, fence] = FENCE.exec(line) ?? [];
    if (open === null) {
      if (fence) open = fence;
      else kept.push(line);
    } else if (fence && fence[0] === open[0] && fence.length >= open.length && line.trim() === fence)
      open = null;
  }
  return kept.join('\n');
}

/** A span opens with a run of backticks and closes with the next run of the same length. */
function withoutCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index, close: -1 }));
  const next = new Map<number, number>();
  for (const [at, run] of [...runs.entries()].reverse()) {
    run.close = next.get(run.length) ?? -1;
    next.set(run.length, at);
  }
  let prose = '';
  let end = 0;
  for (let at = 0; at < runs.length; at++) {
    const { index = 0, close = -1 } = runs[at] ?? {};
    const closing = runs[close];
    if (!closing) continue;
    prose += `${text.slice(end, index)} `;
    end = closing.index + closing.length;
    at = close;
  }
  return prose + text.slice(end);
}

/** Without the punctuation of the sentence it stands in. A pattern would take its time over a text that is made for it. */
function withoutEnd(mention: string): string {
  let end = mention.length;
  while (end > 0 && '.:,-'.includes(mention[end - 1] ?? '')) end--;
  return mention.slice(0, end);
}
