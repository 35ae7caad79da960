/** Which events a follower wants, by name. */
export type NameFilter = (name: string) => boolean;

const everything: NameFilter = () => true;

/** Names, or beginnings of names followed by `*`. No names means all. */
export function nameFilter(names: readonly string[] | undefined): NameFilter {
  if (!names || names.length === 0) return everything;
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const starts = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start));
}
