import type { EditorTheme, MarkdownTheme } from '@earendil-works/pi-tui';
import { highlightCode } from './highlight-code.js';

type Paint = (text: string) => string;

export interface Theme {
  dim: Paint;
  bold: Paint;
  markdown: MarkdownTheme;
  editor: EditorTheme;
}

/**
 * Only colours that every person has set for their own terminal, and of these no yellow, which is hard to read on white, and no blue,
 * which is hard to read on black. Cyan is for signs and numbers: words in it are pale on some light terminals.
 */
export function makeTheme(hasColors: boolean): Theme {
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      hasColors && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  const bold = paint(1, 22);
  const dim = paint(2, 22);
  const italic = paint(3, 23);
  const underline = paint(4, 24);
  const cyan = paint(36, 39);
  const green = paint(32, 39);
  const magenta = paint(35, 39);
  const red = paint(31, 39);
  const code = {
    comment: dim,
    string: green,
    number: cyan,
    keyword: magenta,
    added: green,
    removed: red,
  };
  return {
    dim,
    bold,
    markdown: {
      heading: bold,
      link: underline,
      linkUrl: dim,
      code: magenta,
      codeBlock: (text) => text,
      codeBlockBorder: dim,
      quote: italic,
      quoteBorder: dim,
      hr: dim,
      listBullet: cyan,
      bold,
      italic,
      strikethrough: paint(9, 29),
      underline,
      highlightCode: (text, language) => highlightCode(text, language, code),
    },
    editor: {
      borderColor: dim,
      selectList: {
        selectedPrefix: cyan,
        selectedText: bold,
        description: dim,
        scrollInfo: dim,
        noMatch: dim,
      },
    },
  };
}
