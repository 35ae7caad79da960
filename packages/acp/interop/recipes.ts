/** How a real agent is made to work with the fake model server, and what its tools are called. */
export interface Recipe {
  id: string;
  /** What is started. */
  program: string;
  env(url: string): Record<string, string>;
  /** A directive that has its model write a file without asking anybody. */
  write(path: string, content: string): string;
  /** One that has its model read a file. */
  read(path: string): string;
  /** A second model it offers, and how its provider knows it. */
  model: string;
  /** A directive that has its model start a sub-agent, which says that it found it, and what it is called then. */
  subagent?: { start: string; name: string };
  /** Cases that it does not pass, each with the reason that lies in the agent. */
  exceptions?: Record<string, string>;
}

const claude: Recipe = {
  id: 'claude_code',
  program: 'claude-agent-acp',
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // It refuses to work for root unless something else holds it.
    IS_SANDBOX: '1',
  }),
  write: (path, content) => `!call Write ${JSON.stringify({ file_path: path, content })}`,
  read: (path) => `!call Read ${JSON.stringify({ file_path: path })}`,
  model: 'haiku',
  subagent: {
    start: `!call Agent ${JSON.stringify({ description: 'looker', prompt: '!say Found it.', subagent_type: 'general-purpose', run_in_background: false })}`,
    name: 'looker',
  },
  exceptions: {
    'tells a missing login as such':
      'it tries a 401 again for longer than a minute; a 403 is told as a missing login',
  },
};

const codex: Recipe = {
  id: 'codex',
  program: 'codex-acp',
  env: (url) => ({
    OPENAI_API_KEY: 'x',
    CODEX_CONFIG: JSON.stringify({
      model: 'fake-1',
      model_provider: 'fake',
      model_providers: {
        fake: {
          name: 'fake',
          base_url: `${url}/v1`,
          wire_api: 'responses',
          env_key: 'OPENAI_API_KEY',
          request_max_retries: 1,
          stream_max_retries: 1,
        },
      },
    }),
  }),
  write: (path, content) =>
    `!call exec_command ${JSON.stringify({ cmd: `echo '${content.trim()}' > ${path}` })}`,
  read: (path) => `!call exec_command ${JSON.stringify({ cmd: `cat ${path}` })}`,
  model: 'gpt-6.1-sol',
  // It tells no name, and may answer before its sub-agents do.
  subagent: {
    start: `!call multi_agent_v1/spawn_agent ${JSON.stringify({ message: '!say Found it.' })}`,
    name: 'agent',
  },
};

const qwen: Recipe = {
  id: 'qwen',
  program: 'qwen',
  env: (url) => ({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake-1' }),
  write: (path, content) => `!call write_file ${JSON.stringify({ file_path: path, content })}`,
  read: (path) => `!call read_file ${JSON.stringify({ file_path: path })}`,
  model: 'fake-1',
  exceptions: {
    'has its sub-agents in the tree, with what they said': 'it announces none',
  },
};

const opencode: Recipe = {
  id: 'opencode',
  program: 'opencode',
  env: (url) => ({
    // It would look for news on the network first, and wait for answers that do not come.
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Fake',
          options: { baseURL: `${url}/v1`, apiKey: 'x' },
          models: { 'fake-1': { name: 'Fake 1' }, 'fake-2': { name: 'Fake 2' } },
        },
      },
      model: 'fake/fake-1',
      small_model: 'fake/fake-1',
      enabled_providers: ['fake'],
      autoupdate: false,
      share: 'disabled',
    }),
  }),
  write: (path, content) => `!call write ${JSON.stringify({ filePath: path, content })}`,
  read: (path) => `!call read ${JSON.stringify({ filePath: path })}`,
  model: 'fake/fake-2',
  exceptions: {
    'counts the tokens of every model call of a turn':
      'it tells those of its last model call alone, and a warning says so',
    'has its sub-agents in the tree, with what they said': 'it announces none before version 2',
  },
};

const gemini: Recipe = {
  id: 'gemini',
  program: 'gemini',
  env: (url) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url }),
  write: (path, content) => `!call write_file ${JSON.stringify({ file_path: path, content })}`,
  read: (path) => `!call read_file ${JSON.stringify({ file_path: path })}`,
  model: 'gemini-2.5-pro',
  exceptions: {
    'has its sub-agents in the tree, with what they said': 'it announces none',
  },
};

export const RECIPES: Record<string, Recipe> = { claude_code: claude, codex, qwen, opencode, gemini };
