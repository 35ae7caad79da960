/** The candidates a person probably meant, best first: few letters apart, or one name inside the other. */
export function closestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  return [...candidates]
    .map((candidate) => ({ candidate, distance: nameDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function nameDistance(a: string, b: string): number {
  if (a.length >= 3 && b.includes(a)) return 1;
  if (b.length >= 3 && a.includes(b)) return 1;
  return editDistance(a, b);
}

/** Letters to insert, delete or replace, and neighbours to swap, to get from one word to the other. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = swap ? at(row - 2, column - 2) + 1 : replaced;
      rows[row]?.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
