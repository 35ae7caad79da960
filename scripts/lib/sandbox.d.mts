export interface TestSandbox {
  nests: boolean;
  wrap(command: readonly string[]): string[];
}
export function makeSandbox(folders: readonly string[]): TestSandbox | null;
