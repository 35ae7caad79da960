import type { Body } from './wire.js';

/** The models every vendor's listing names. */
const NAMES = ['fake-large', 'fake-small'];
const CONTEXT_WINDOW = 32_768;

/** Answers the vendors' questions for their models; null for any other request. */
export function listModels(method: string, path: string, body: Body): Body | null {
  const [route = ''] = path.split('?');
  if (route.endsWith('/api/show') && method === 'POST') {
    return {
      details: { family: 'fake' },
      model_info: { 'general.architecture': 'fake', 'fake.context_length': CONTEXT_WINDOW },
      capabilities: ['completion', 'tools'],
      model: body.model,
    };
  }
  if (method !== 'GET') return null;
  if (route.endsWith('/api/tags')) {
    return { models: NAMES.map((name) => ({ name, model: name, size: 1, details: { family: 'fake' } })) };
  }
  if (route.endsWith('/v1beta/models')) {
    return {
      models: NAMES.map((name) => ({
        name: `models/${name}`,
        displayName: name,
        inputTokenLimit: CONTEXT_WINDOW,
        outputTokenLimit: 4096,
        supportedGenerationMethods: ['generateContent'],
      })),
    };
  }
  if (route.endsWith('/models')) {
    return {
      object: 'list',
      data: NAMES.map((id) => ({ id, object: 'model', type: 'model', display_name: id, created: 0 })),
      has_more: false,
    };
  }
  return null;
}
