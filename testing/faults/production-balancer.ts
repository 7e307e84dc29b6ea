import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const checkEveryMs = 100;

/**
 * A minimal load balancer. Each new connection goes to the next server whose last /ready was 200, or to the one after it if
 * that server refuses the connection. It does not parse or repeat requests.
 */
export class TcpBalancer {
  readonly url: string;
  readonly #server: Server;
  readonly #targets: readonly { readonly url: string; ready: boolean }[];
  readonly #sockets = new Set<Socket>();
  readonly #checking: Promise<void>;
  #next = 0;
  #running = true;

  private constructor(server: Server, urls: readonly string[]) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#targets = urls.map((url) => ({ url, ready: true }));
    server.on("connection", (socket) => this.#pass(socket, urls.length));
    this.#checking = this.#check();
  }

  static async start(urls: readonly string[]): Promise<TcpBalancer> {
    const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpBalancer(server, urls);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#checking;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket, attempts: number): void {
    this.#sockets.add(client);
    client.once("close", () => this.#sockets.delete(client));
    client.on("error", () => client.destroy());
    const target = this.#choose();
    if (!target || attempts === 0) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(target.url);
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    // Removed once it is connected: nothing was sent before that.
    upstream.once("error", () => this.#pass(client, attempts - 1));
    upstream.once("connect", () => {
      upstream.removeAllListeners("error").on("error", () => client.destroy());
      client.once("close", () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
  }

  #choose(): { readonly url: string } | undefined {
    for (let tried = 0; tried < this.#targets.length; tried++) {
      const target = this.#targets[this.#next++ % this.#targets.length];
      if (target?.ready) return target;
    }
    // If no server has reported that it is ready, any server is better than none.
    return this.#targets[this.#next++ % this.#targets.length];
  }

  async #check(): Promise<void> {
    while (this.#running) {
      for (const target of this.#targets) {
        const answer = await fetch(`${target.url}/ready`, { headers: { connection: "close" } }).catch(() => undefined);
        await answer?.body?.cancel();
        target.ready = answer?.status === 200;
      }
      await sleep(checkEveryMs);
    }
  }
}
