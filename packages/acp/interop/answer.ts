import { type FakeExchange, replyFromConversation } from '@amplifier/testkit';

/** What the fake model says: titles and routing are asked for without tools, and are not what the prompt is about. */
export function answer(exchange: FakeExchange) {
  if (hasTools(exchange.body)) return replyFromConversation(exchange.steps);
  return { text: JSON.stringify({ reasoning: 'It is short.', model_choice: 'flash', title: 'A title' }) };
}

export function hasTools(body: Record<string, unknown>): boolean {
  return Array.isArray(body.tools) && body.tools.length > 0;
}
