const LINE = 20;
const CHARACTER = 8.43;
const COLORS = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
};
const PLAIN = '#e6edf3';
const DIM = '#8b949e';
const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`);

/** How long the last screen of a recording stays before it begins again. */
const LAST_MS = 6_000;
/** Waiting is shown no longer than this. */
const MAX_MS = 1_500;

/**
 * A recording as one picture that moves: screens as tmux captures them, colours included, each with the time it was there (`ms`).
 * Who wants no motion sees the last one.
 */
export function screensToSvg(screens, { title, columns }) {
  const frames = screens.map(({ screen, ms }, index) => ({
    lines: screen.trimEnd().split('\n'),
    ms: index === screens.length - 1 ? LAST_MS : Math.min(ms, MAX_MS),
  }));
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  const rows = Math.max(...frames.map(({ lines }) => lines.length));
  const width = Math.ceil(columns * CHARACTER) + 32;
  let at = 0;
  const drawn = frames.map(({ lines, ms }, index) => {
    const begin = ((at / total) * 100).toFixed(2);
    at += ms;
    const end = ((at / total) * 100).toFixed(2);
    const style = { color: null, bold: false, dim: false };
    const text = lines.map((line, row) => drawLine(line, 32 + row * LINE, style)).join('');
    const times =
      index === 0
        ? `0%{visibility:visible}${end}%{visibility:hidden}`
        : `0%{visibility:hidden}${begin}%{visibility:visible}${end}%{visibility:${index === frames.length - 1 ? 'visible' : 'hidden'}}`;
    return {
      rule: `@keyframes f${index}{${times}}#f${index}{animation-name:f${index}}`,
      group: `<g id="f${index}">${text}</g>`,
    };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${rows * LINE + 28}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<title>${escapeXml(title)}</title>
<style>g{visibility:hidden;animation-duration:${total}ms;animation-iteration-count:infinite;animation-timing-function:step-end}
${drawn.map(({ rule }) => rule).join('\n')}
@media (prefers-reduced-motion:reduce){g{animation:none}#f${frames.length - 1}{visibility:visible}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${drawn.map(({ group }) => group).join('\n')}
</svg>
`;
}

/** Every second part is the numbers of a sequence. */
function drawLine(line, y, style) {
  const spans = line.split(SEQUENCE).map((part, index) => {
    if (index % 2 === 1) {
      apply(part, style);
      return '';
    }
    if (part === '') return '';
    const weight = style.bold ? ' font-weight="bold"' : '';
    const fill = style.color ?? (style.dim ? DIM : PLAIN);
    return `<tspan fill="${fill}"${weight}>${escapeXml(part)}</tspan>`;
  });
  const shown = spans.join('');
  return shown === '' ? '' : `<text x="16" y="${y}" xml:space="preserve">${shown}</text>`;
}

function apply(numbers, style) {
  for (const number of numbers === '' ? ['0'] : numbers.split(';')) {
    if (number === '0') Object.assign(style, { color: null, bold: false, dim: false });
    else if (number === '1') style.bold = true;
    else if (number === '2') style.dim = true;
    else if (number === '22') Object.assign(style, { bold: false, dim: false });
    else if (number === '39') style.color = null;
    else if (COLORS[number]) style.color = COLORS[number];
  }
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
