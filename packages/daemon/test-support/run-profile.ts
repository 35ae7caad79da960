/** A profile whose only model is a server on this machine, with two agents to turn to and approvals before anything is written. */
export function runProfile(modelUrl: string): string {
  return `---
profile: { name: worker, version: 0.1.0, schema_version: 2 }
session:
  orchestrator: loop-streaming
  context: context-simple
providers:
  - module: provider-openai-compatible
    config: { base_url: "${modelUrl}/v1", default_model: fake-1, api_key: "\${RUN_TEST_KEY}", max_retries: 0 }
tools:
  - module: tool-filesystem
  - module: tool-delegate
hooks:
  - module: hooks-approval
agents:
  scout: { description: Looks, content: You look. }
  scribe: { description: Writes, content: You write. }
---
You do what you are told.
`;
}

/** Directives for the fake model, one answer after the other. */
export function script(...answers: (string | string[])[]): string {
  return answers.map((answer) => [answer].flat().join('\n')).join('\n!then\n');
}

export function call(tool: string, input: object): string {
  return `!call ${tool} ${JSON.stringify(input)}`;
}

/** A child begins with a clean slate: in the parent's conversation stand the directives for the parent. */
export function delegate(input: object): string {
  return call('delegate', { context_depth: 'none', ...input });
}
