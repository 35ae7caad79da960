import type { Event } from '@ag-ui/core';

/** An event of AG-UI as it goes over the wire: by the types of the protocol's own package, without its code. */
type OnTheWire<E> = E extends { type: infer T extends string } ? Omit<E, 'type'> & { type: `${T}` } : never;
export type AgUiEvent = OnTheWire<Event>;

export function agUiFrame(event: AgUiEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
