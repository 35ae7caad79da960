import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { plain } from './format.js';

const asText = (text: string): string => text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);

/** HTML of a model is text to us, and an image would be a request to another place: it becomes its description. */
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => asText(text),
    image: ({ href, text }) => `<span class="no-image">[image: ${asText(text || href)}]</span>`,
  },
});

const ALLOWED = {
  ALLOWED_TAGS:
    'a p br hr em strong del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td span'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'class', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** Text of a model or a person as safe DOM. */
export function Markdown({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.replaceChildren(render(text));
  }, [text]);
  return <div class="md" ref={place} dir="auto" />;
}

function render(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(plain(text)) as string, ALLOWED);
  for (const link of fragment.querySelectorAll('a')) dressLink(link);
  for (const pre of fragment.querySelectorAll('pre')) dressCode(pre);
  for (const table of fragment.querySelectorAll('table')) scrollable(table);
  return fragment;
}

/** A link says where it leads: its host stands beside words that do not name it. */
function dressLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href');
  if (!href || !URL.canParse(href)) {
    link.replaceWith(...link.childNodes);
    return;
  }
  const { host, protocol } = new URL(href);
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.title = href;
  const shown = protocol === 'mailto:' ? href.slice(7) : host;
  if (link.textContent?.trim() === href || link.textContent?.trim() === shown) return;
  const where = document.createElement('span');
  where.className = 'where';
  where.textContent = ` ${shown}`;
  link.append(where);
}

function scrollable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'wide';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', 'Table');
  table.replaceWith(frame);
  frame.append(table);
}

/** Longer code stays plain: to colour it would hold the page up. */
const MOST = 20_000;

const COLOURS = { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true as const };

/** A block of code gets a line with its language and a copy button; its colours come later, when the page has time. */
function dressCode(pre: HTMLPreElement): void {
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
