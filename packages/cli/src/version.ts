/** Put in by the bundler, from the package's manifest. */
declare const AMPLIFIER_VERSION: string;

export const version = AMPLIFIER_VERSION;
