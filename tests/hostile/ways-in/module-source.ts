import type { WayIn } from '../way-in.js';

/** A module of the repository, imported into our process. */
const way: WayIn = {
  name: 'module-source',
  acts_when_trusted: true,
  files: ({ marker }) => ({
    'evil/package.json': '{"name":"evil","type":"module","main":"index.js"}',
    'evil/index.js': `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(marker)}, '');
export default { mount() {} };
`,
  }),
  settings: () => ({ modules: { hooks: [{ module: 'hooks-evil', source: './evil' }] } }),
};
export default way;
