import type { Server } from "node:net";
import { type Logger, StartError } from "@appserver/kernel";

/** The port is in use. The message is a sentence for the operator. */
export class PortInUseError extends StartError {
  override readonly name = "PortInUseError";
  readonly code = "PORT_IN_USE";
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, option: string, cause: unknown) {
    super(`Port ${port} on ${host} is in use: stop what listens there, or choose another with ${option}.`, { cause });
    this.host = host;
    this.port = port;
  }
}

/** The address of a listener. Port 0 takes a free port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens and returns the address in use. Rejects with {@link PortInUseError}, which names the option to change. Connections that
 * cannot be accepted later are logged.
 */
export function listen(server: Server, address: ListenAddress, option: string, logger: Logger): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const taken = error.code === "EADDRINUSE";
      reject(taken ? new PortInUseError(address.host, address.port, option, error) : error);
    };
    server.once("error", onError);
    server.listen({ host: address.host, port: address.port }, () => {
      server.off("error", onError);
      const bound = server.address();
      const port = typeof bound === "object" && bound ? bound.port : address.port;
      const { host } = address;
      // Without a listener, one refusal of the operating system, such as ENOBUFS, would end the process.
      server.on("error", (err) => logger.warn({ err, host, port }, "listener: could not accept a connection"));
      resolve({ host, port });
    });
  });
}
