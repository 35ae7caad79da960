import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

interface Found {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What readers and keyboards cannot use on the page as it stands, one line each. The policy of the page does not hold for it. */
export async function axe(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { result: there } = await session.send('Runtime.evaluate', { expression: "'axe' in window" });
  if (!there.value) await session.send('Runtime.evaluate', { expression: axeCore.source });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations))',
    awaitPromise: true,
  });
  await session.detach();
  return (JSON.parse(result.value) as Found[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
