export { amplifierHome } from '@amplifier/workspace';

export type Environment = Readonly<Record<string, string | undefined>>;
