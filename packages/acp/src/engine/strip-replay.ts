/** The answer without earlier answers that an agent said again in front of it. */
export function stripReplay(text: string, earlier: readonly string[]): string {
  let rest = text;
  for (let again = true; again; ) {
    again = false;
    for (const answer of earlier) {
      if (answer.trim() === '' || rest.trim() === answer.trim() || !rest.startsWith(answer)) continue;
      rest = rest.slice(answer.length).trimStart();
      again = true;
    }
  }
  return rest;
}
