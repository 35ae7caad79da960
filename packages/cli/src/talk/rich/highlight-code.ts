/** Words that mean something in most languages people write. */
const KEYWORDS =
  /^(abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|del|do|elif|else|enum|except|export|extends|false|finally|fn|for|from|func|function|go|if|impl|implements|import|in|interface|is|let|match|mod|mut|new|nil|none|not|null|or|package|pass|private|public|pub|raise|readonly|return|self|static|struct|super|switch|this|throw|trait|true|try|type|undefined|use|var|void|where|while|with|yield|fi|then|done|echo|local)$/i;

const PARTS =
  /(\/\/[^\n]*|#[^\n]*|--[^\n]*|\/\*[\s\S]*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\b\d[\w.]*\b)|([A-Za-z_]\w*)/g;

/** Languages whose comments begin with `#`, and with `--`. Elsewhere these are no comments. */
const HASH = /^(py|python|sh|bash|zsh|shell|rb|ruby|yaml|yml|toml|r|perl|make|makefile|dockerfile)$/i;
const DIFF = /^(diff|patch)$/i;
const DASHES = /^(sql|lua|haskell|hs|ada)$/i;

export interface CodeColors {
  comment: (text: string) => string;
  string: (text: string) => string;
  number: (text: string) => string;
  keyword: (text: string) => string;
  added: (text: string) => string;
  removed: (text: string) => string;
}

/** Code with colours for comments, strings, numbers and keywords: enough to read by, in any language and at no cost. */
export function highlightCode(code: string, language: string | undefined, colors: CodeColors): string[] {
  if (DIFF.test(language ?? '')) return code.split('\n').map((line) => diffLine(line, colors));
  const isComment = (text: string) => {
    if (text.startsWith('#')) return HASH.test(language ?? '');
    if (text.startsWith('--')) return DASHES.test(language ?? '');
    return true;
  };
  const painted = code.replace(PARTS, (found, comment, string, number, word) => {
    if (comment !== undefined) return isComment(comment) ? eachLine(comment, colors.comment) : found;
    if (string !== undefined) return eachLine(string, colors.string);
    if (number !== undefined) return colors.number(number);
    return KEYWORDS.test(word) ? colors.keyword(word) : found;
  });
  return painted.split('\n');
}

function eachLine(text: string, paint: (line: string) => string): string {
  return text.split('\n').map(paint).join('\n');
}

function diffLine(line: string, { added, removed, comment }: CodeColors): string {
  if (/^(@@|\+\+\+|---|diff |index )/.test(line)) return comment(line);
  if (line.startsWith('+')) return added(line);
  return line.startsWith('-') ? removed(line) : line;
}
