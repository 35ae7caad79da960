import DOMPurify from 'dompurify';

/** Longer code stays plain: to colour it would hold the page up. */
const MOST = 20_000;

const COLOURS = { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true as const };

/** A block of code gets a line with its language and a copy button; its colours come later, when the page has time. */
export function dressCode(pre: HTMLPreElement): void {
  const code = pre.querySelector('code') ?? pre;
  const language = /language-([\w+-]{1,20})/.exec(code.className)?.[1] ?? '';
  const frame = document.createElement('div');
  frame.className = 'code';
  const head = document.createElement('div');
  head.className = 'code-head';
  const name = document.createElement('span');
  name.textContent = language;
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'quiet copy';
  copy.textContent = 'Copy';
  copy.addEventListener('click', () => {
    void navigator.clipboard?.writeText(code.textContent ?? '').then(() => {
      copy.textContent = 'Copied';
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 1_500);
    });
  });
  head.append(name, copy);
  pre.replaceWith(frame);
  pre.tabIndex = 0;
  frame.append(head, pre);
  if (language) colourLater(code, language);
}

function colourLater(code: Element, language: string): void {
  const text = code.textContent ?? '';
  if (text.length > MOST) return;
  const act = async () => {
    if (!code.isConnected) return;
    // Without colours it can be read as well.
    const module = await import('./colour-code.js').catch(() => null);
    const coloured = module?.colour(text, language);
    if (coloured && code.isConnected) code.replaceChildren(DOMPurify.sanitize(coloured, COLOURS));
  };
  if ('requestIdleCallback' in window) requestIdleCallback(() => void act(), { timeout: 1_000 });
  else setTimeout(() => void act(), 50);
}
