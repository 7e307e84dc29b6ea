import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a port of 127.0.0.1 that is free and stays free while its server is down: it is below the range that the system
 * assigns for port 0, from which the other servers of the tests take theirs.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer().listen(port, "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
}
