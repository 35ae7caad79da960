import type { WayIn } from '../way-in.js';

/** A module in an archive elsewhere: whoever fetches it has told that it was here, and would unpack what it is given. */
const way: WayIn = {
  name: 'archive',
  settings: ({ url }) => ({ modules: { tools: [{ module: 'tool-packed', source: `${url}/packed.tgz` }] } }),
  acts_when_trusted: true,
};
export default way;
