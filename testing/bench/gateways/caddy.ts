import { startDebianServer } from "./debian-server.ts";
import type { Served } from "./forked.ts";

/** Starts Caddy as a gateway that only forwards, with its request log in a file. */
export function startCaddy(upstreamPort: number): Promise<Served> {
  return startDebianServer({
    program: "caddy",
    args: (_, file) => ["run", "--adapter", "caddyfile", "--config", file],
    configuration: (folder, port) => `
{
  admin off
  auto_https off
  log {
    level ERROR
  }
}
http://127.0.0.1:${port} {
  bind 127.0.0.1
  log {
    output file ${folder}/access.log
  }
  reverse_proxy 127.0.0.1:${upstreamPort} {
    transport http {
      keepalive_idle_conns_per_host 64
    }
  }
}
`,
  });
}
