export interface SseFrame {
  event: string;
  id: string | null;
  data: string;
}

/** A frame may be cut anywhere, also in the middle of a line break: what is not whole yet waits for the next piece. */
export function sseParser(take: (frame: SseFrame) => void): (piece: string) => void {
  let rest = '';
  let event = '';
  let id: string | null = null;
  let data: string[] = [];
  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) take({ event: event || 'message', id, data: data.join('\n') });
      event = '';
      id = null;
      data = [];
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + (text[colon + 1] === ' ' ? 2 : 1));
    if (name === 'event') event = value;
    else if (name === 'id') id = value;
    else if (name === 'data') data.push(value);
  };
  return (piece) => {
    rest += piece;
    let at = 0;
    for (let end = rest.indexOf('\n', at); end >= 0; end = rest.indexOf('\n', at)) {
      line(rest.slice(at, rest[end - 1] === '\r' ? end - 1 : end));
      at = end + 1;
    }
    rest = rest.slice(at);
  };
}
