import { shownText } from '@amplifier/core';

/** A result, for people and scripts. Names and messages in it may come from anywhere. */
export function print(text: string): void {
  console.log(shownText(text));
}

/** A word beside the result. */
export function printError(text: string): void {
  console.error(shownText(text));
}
