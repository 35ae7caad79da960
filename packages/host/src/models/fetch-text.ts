/** What an address answers, within a time and a size. Rejects with a sentence that names the address. */
export async function fetchText(
  address: string,
  { timeout_ms, max_bytes }: { timeout_ms: number; max_bytes: number },
): Promise<string> {
  const headers = { 'user-agent': 'amplifier', accept: 'application/json' };
  const answer = await fetch(address, { headers, signal: AbortSignal.timeout(timeout_ms) });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > max_bytes) throw new Error(`${address} sent more than ${max_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
