import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

type Id = string | number;

/**
 * The requests of one connection that have no answer yet. A second request under the id of one of them would get the answer of the
 * first, and a cancellation would end the wrong one: it is refused.
 */
export class IdsInFlight {
  readonly #ids = new Set<Id>();

  /** Takes on all requests in it; the id that is in use already when it takes on none. */
  begin(message: unknown): { taken: Id[] } | { reused: Id } {
    const messages = [message].flat() as Partial<Record<'id' | 'method', unknown>>[];
    const ids = messages
      .filter((each) => typeof each?.method === 'string' && isId(each.id))
      .map(({ id }) => id as Id);
    const reused = ids.find((id, at) => this.#ids.has(id) || ids.indexOf(id) !== at);
    if (reused !== undefined) return { reused };
    for (const id of ids) this.#ids.add(id);
    return { taken: ids };
  }

  /** What we send: an answer ends its request. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#ids.delete(message.id);
  }

  /** What the client sends: it may wait for an answer no longer. */
  received(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const { requestId } = (message.params ?? {}) as { requestId?: Id };
    if (requestId !== undefined) this.#ids.delete(requestId);
  }

  end(ids: readonly Id[]): void {
    for (const id of ids) this.#ids.delete(id);
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

export function reusedIdError(id: Id) {
  const message = `A request with the id ${JSON.stringify(id)} is still under way. Give each request an id of its own.`;
  return { code: -32600, message };
}

/** The same connection, which hears of no request under an id that is in use. The refusal has no id: that would answer the first. */
export function refuseReusedIds<Kind extends Transport>(transport: Kind): Kind {
  const ids = new IdsInFlight();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    ids.sent(message);
    return send(message, options);
  };
  let listener: Transport['onmessage'];
  const hear: NonNullable<Transport['onmessage']> = (message, extra) => {
    ids.received(message);
    const begun = ids.begin(message);
    if (!('reused' in begun)) return listener?.(message, extra);
    send({ jsonrpc: '2.0', error: reusedIdError(begun.reused) }).catch((error) => transport.onerror?.(error));
  };
  Object.defineProperty(transport, 'onmessage', {
    get: () => listener && hear,
    set: (given) => {
      listener = given;
    },
  });
  return transport;
}
