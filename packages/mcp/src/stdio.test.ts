import { describe, expect, it } from 'vitest';
import { ERAS, McpScene } from '../test-support/mcp-scene.js';

const AGENT = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';

describe.each(ERAS)('the real program over stdio, %s protocol', (era) => {
  it('delegates to a Markdown agent and gives text and structure', async () => {
    await using scene = await McpScene.create({ '.amplifier/agents/helper.md': AGENT });
    await using server = await scene.connect({ era });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('delegate');
    const answer = await server.call('delegate', { cli: 'helper', prompt: '!say It is done.' });
    expect(answer.structuredContent.result).toMatchObject({ ok: true, text: 'It is done.' });
  });
});
