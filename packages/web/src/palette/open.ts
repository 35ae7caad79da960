import { signal } from '@preact/signals';

export const paletteIsOpen = signal(false);
export const keysAreOpen = signal(false);

export function openPalette(): void {
  paletteIsOpen.value = true;
}
