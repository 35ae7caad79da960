/** Something a person should know of that is no reason to stop. The kernel never logs: it reports to whoever runs it. */
export interface Diagnostic {
  level: 'warning' | 'error';
  /** Stable, for programs. */
  code: string;
  message: string;
  module_id?: string;
  error?: unknown;
}

export type Report = (diagnostic: Diagnostic) => void;
