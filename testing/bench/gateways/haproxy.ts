import { startDebianServer } from "./debian-server.ts";
import type { Served } from "./forked.ts";

/** Starts HAProxy as a gateway that only forwards, with one thread and its request log in a file. */
export function startHaproxy(upstreamPort: number): Promise<Served> {
  return startDebianServer({
    program: "haproxy",
    args: (_, file) => ["-db", "-f", file],
    configuration: (_, port) => `
global
  nbthread 1
  maxconn 4096
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  http-reuse always
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend gateway
  bind 127.0.0.1:${port}
  default_backend backend
backend backend
  server one 127.0.0.1:${upstreamPort}
`,
  });
}
