export function lookAtSystemFiles(folders?: readonly string[], home?: string): Map<string, string>;
export function changedFiles(before: Map<string, string>, after: Map<string, string>): string[];
