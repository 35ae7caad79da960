export function sourceAliases(): { find: RegExp; replacement: string }[];
