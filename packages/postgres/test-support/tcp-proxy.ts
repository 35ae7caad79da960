import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and fails as networks do. */
export interface TcpProxy extends AsyncDisposable {
  port: number;
  /** Connections made through it so far. */
  connections: number;
  /** Breaks every connection. */
  cut(): void;
  /** Breaks every connection, and each that comes until `accept`. */
  refuse(): void;
  accept(): void;
  /** Nothing passes in either direction until `go`. Nobody is told. */
  stop(): void;
  go(): void;
  /** Whatever passes from now on takes so many milliseconds longer. Nothing overtakes anything. */
  delay(ms: number): void;
  /** Passes on the next message of a client that contains the text, then breaks that connection before the answer is back. */
  loseAnswerTo(text: string): Promise<void>;
}

export async function tcpProxy(port: number): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let isStopped = false;
  let isRefusing = false;
  let delayMs = 0;
  let lost: { text: string; done: () => void } | null = null;
  const server = createServer((near) => {
    if (isRefusing) {
      near.destroy();
      return;
    }
    proxy.connections++;
    const far = connect(port, '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    if (isStopped) for (const socket of pair) socket.pause();
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    const [out, back] = [inOrder(), inOrder()];
    near.on('data', (data) => {
      out(delayMs, () => far.write(data));
      if (!lost || !data.includes(lost.text)) return;
      const { done } = lost;
      lost = null;
      far.removeAllListeners('data');
      far.once('data', () => {
        end();
        done();
      });
    });
    far.on('data', (data) => back(delayMs, () => near.write(data)));
    for (const socket of pair) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxy: TcpProxy = {
    port: typeof address === 'object' && address ? address.port : 0,
    connections: 0,
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
    refuse() {
      isRefusing = true;
      proxy.cut();
    },
    accept() {
      isRefusing = false;
    },
    stop() {
      isStopped = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    go() {
      isStopped = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    delay(ms) {
      delayMs = ms;
    },
    loseAnswerTo(text) {
      return new Promise((done) => {
        lost = { text, done };
      });
    },
    async [Symbol.asyncDispose]() {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Does one thing after the other, each when it is due. */
function inOrder(): (ms: number, act: () => void) => void {
  let before: Promise<void> | null = null;
  return (ms, act) => {
    if (ms === 0 && !before) return act();
    const due = new Promise((resolve) => setTimeout(resolve, ms));
    const done: Promise<void> = Promise.all([before, due]).then(() => {
      act();
      if (before === done) before = null;
    });
    before = done;
  };
}
