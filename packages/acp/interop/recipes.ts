/** How a real agent is made to work with the fake model server, and what its tools are called. */
export interface Recipe {
  id: string;
  env(url: string): Record<string, string>;
  /** A directive that has its model write a file without asking anybody. */
  write(path: string, content: string): string;
  /** A second model it offers. */
  model: string;
}

const opencode: Recipe = {
  id: 'opencode',
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
  model: 'fake/fake-2',
};

const gemini: Recipe = {
  id: 'gemini',
  env: (url) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url }),
  write: (path, content) => `!call write_file ${JSON.stringify({ file_path: path, content })}`,
  model: 'gemini-2.5-pro',
};

export const RECIPES: Record<string, Recipe> = { opencode, gemini };
