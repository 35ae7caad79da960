import type { ModuleRegistry } from '@amplifier/core';

export const providerModules: ModuleRegistry = {
  'provider-anthropic': () => import('./anthropic.js'),
  'provider-openai': () => import('./openai.js'),
  'provider-gemini': () => import('./gemini.js'),
  'provider-ollama': () => import('./ollama.js'),
  'provider-openai-compatible': () => import('./openai-compatible.js'),
  'provider-azure-openai': () => import('./azure-openai.js'),
  'provider-offline': () => import('./offline/offline.js'),
};
