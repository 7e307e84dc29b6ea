import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of 127.0.0.1 that is free now and stays so while its server is down: below those that the system gives to port 0,
 * which other servers of these tests take.
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
