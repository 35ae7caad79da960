export interface TestSandbox {
  nests: boolean;
  wrap(command: readonly string[]): string[];
}
export function makeSandbox(writable: readonly string[]): TestSandbox | null;
