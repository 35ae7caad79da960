import { PICTURE } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { acpBench } from '../../test-support/acp-bench.js';

it('hands an agent the images of an instruction where it takes them, and else tells both sides', async () => {
  const attachments = [{ name: 'dot.png', data: PICTURE }];
  await using seeing = await acpBench({ flags: ['--images'] });
  const seen = await seeing.run('!images', { attachments });
  expect(seen).toMatchObject({ status: 'completed', text: `image/png ${PICTURE}`, warnings: [] });
  const { outcome } = await seeing.delegator.resume(seen.session_id, '!images', { attachments });
  expect(outcome).toMatchObject({ text: `image/png ${PICTURE}` });
  await using blind = await acpBench();
  expect(await blind.run('!images', { attachments })).toMatchObject({
    status: 'completed',
    text: 'none',
    warnings: [expect.stringContaining('Chaos takes no images, so it was not shown dot.png')],
  });
});
