import { conformanceOn } from '../test-support/conformance-on.js';

conformanceOn('newest');
