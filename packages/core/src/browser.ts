// What the browser application imports of core: nothing here needs Node.
export { addDecimals } from './data/decimal.js';
export { type DelegationTree, foldEvent, type TreeNode } from './data/delegation-tree.js';
export { toolSubject } from './text/describe-tool-call.js';
export { moreCharacters, shorten } from './text/shorten.js';
