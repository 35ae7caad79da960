export const PLAN = `Two places round on their own:

| file | what it does |
| --- | --- |
| \`src/price.ts\` | rounds each line to whole cents |
| \`src/invoice.ts\` | rounds the sum **again** |

So three items of 0.335 become 1.02 on the invoice and 1.01 in the cart. I hand the change, a review and the page about it to three agents:`;

/** What the root was launched with, as far as the facts show it. */
export const LAUNCH = {
  version: 1,
  session_id: 'shop-rounding',
  parent_id: null,
  root_id: 'shop-rounding',
  depth: 0,
  agent: { name: 'amplifier', origin: 'bundle', digest: '', instruction: 'You do what you are told.' },
  engine: 'in_process',
  model: {
    candidates: [
      { provider: 'anthropic', model: 'claude-opus-4-5', because: 'the role coding' },
      { provider: 'openai', model: 'gpt-5.2', because: 'the role general' },
    ],
    chosen: { provider: 'anthropic', model: 'claude-opus-4-5' },
    because: 'The first candidate of the role coding that has a key.',
  },
  context: { depth: 'none', passed: [], dropped: [], tokens: 0 },
  grant: {
    version: 1,
    read: { allow: ['/home/ada/shop'], deny: [] },
    write: { allow: ['/home/ada/shop/src', '/home/ada/shop/tests'], deny: [] },
    exec: 'confined',
    network: false,
    delegate: true,
    spend: null,
  },
  limits: {
    max_depth: 3,
    max_children: 64,
    max_turns: 100,
    max_tokens: 200_000,
    max_cost_usd: '1.00',
    timeout: 1_800,
  },
  safety_mode: 'write',
  workspace: { cwd: '/home/ada/shop', trusted: true, isolation: 'none' },
  instruction: 'Fix it.',
  plan: { tools: [{ module: 'tool-filesystem' }, { module: 'tool-bash' }, { module: 'tool-delegate' }] },
};
