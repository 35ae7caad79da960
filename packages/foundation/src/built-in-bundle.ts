import { fileURLToPath } from 'node:url';

/** The bundle `foundation` that comes with this package, as a source: the session one gets without choosing. */
export const BUILT_IN_BUNDLE = fileURLToPath(new URL('../bundle', import.meta.url));
