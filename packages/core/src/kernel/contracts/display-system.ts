/** How a session speaks to the person in front of it. Supplied by the app. */
export interface DisplaySystem {
  showMessage(message: string, level: 'info' | 'warning' | 'error', source: string): void;
}
