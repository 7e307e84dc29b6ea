import { once } from "node:events";
import { createServer, connect as open, type Server, type Socket } from "node:net";
import type { Component } from "@appserver/kernel";

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Accepts connections at one address and forwards them to another one, both on this machine. */
export class TcpRelay implements Component {
  readonly name = "tcp-relay";
  readonly #from: Address;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(from: Address, to: Address) {
    this.#from = from;
    // A client that has sent everything may still wait for the response.
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const target = open({ ...to, allowHalfOpen: true });
      this.#join(client, target);
      this.#join(target, client);
    });
  }

  async start(): Promise<void> {
    await once(this.#server.listen(this.#from.port, this.#from.host), "listening");
    // Without a listener, a connection that cannot be accepted would end the process. Its client connects again.
    this.#server.on("error", () => {});
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(source: Socket, target: Socket): void {
    this.#sockets.add(source);
    source.setNoDelay(true);
    source.pipe(target);
    source.on("error", () => target.destroy());
    source.once("close", (hasFailed) => {
      this.#sockets.delete(source);
      // What was received may still have to be sent.
      if (hasFailed) target.destroy();
      else target.end();
    });
  }
}
