import { conformanceOn } from '../test-support/conformance-on.js';
import { installedVersion } from '../test-support/start-postgres.js';

conformanceOn(installedVersion);
// The torture runs all of it there, too.
if (installedVersion !== 'newest') conformanceOn('newest', 3);
