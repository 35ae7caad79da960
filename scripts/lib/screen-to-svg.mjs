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

/** A screen as tmux captures it, colours included, as a picture. */
export function screenToSvg(screen, { title, columns }) {
  const lines = screen.trimEnd().split('\n');
  const style = { fill: PLAIN, bold: false };
  const text = lines.map((line, index) => drawLine(line, 32 + index * LINE, style)).join('\n');
  const width = Math.ceil(columns * CHARACTER) + 32;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${lines.length * LINE + 28}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
  <title>${escapeXml(title)}</title>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${text}
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
    return `<tspan fill="${style.fill}"${weight}>${escapeXml(part)}</tspan>`;
  });
  return `  <text x="16" y="${y}" xml:space="preserve">${spans.join('')}</text>`;
}

function apply(numbers, style) {
  for (const number of numbers === '' ? ['0'] : numbers.split(';')) {
    if (number === '0') Object.assign(style, { fill: PLAIN, bold: false });
    else if (number === '1') style.bold = true;
    else if (number === '2') style.fill = DIM;
    else if (number === '22')
      Object.assign(style, { bold: false, fill: style.fill === DIM ? PLAIN : style.fill });
    else if (number === '39') style.fill = PLAIN;
    else if (COLORS[number]) style.fill = COLORS[number];
  }
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
