import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@appserver/testing/kit";
import { ensureDebianProgram } from "../../../tools/services/debian-package.ts";
import { quietPort } from "../../kit/quiet-port.ts";
import type { Served } from "./forked.ts";

export interface NginxPeer {
  readonly upstreamPort: number;
  /** Answers `auth_request`. Without it nginx only forwards. */
  readonly decisionPort?: number;
}

/** Starts nginx with one worker, an access log in a file, and connections to the backend that stay open. */
export async function startNginx(peer: NginxPeer): Promise<Served> {
  const program = ensureDebianProgram("nginx", "nginx-light");
  if ("unavailable" in program) throw new Error(program.unavailable);
  const folder = await mkdtemp(join(tmpdir(), "appserver-nginx-"));
  await mkdir(join(folder, "temp"));
  const port = await quietPort();
  await writeFile(join(folder, "nginx.conf"), configuration(folder, port, peer));
  const child = spawn(program.path, ["-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  };
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  await until("nginx answers", answers);
  return { port, pid: child.pid ?? 0, stop };
}

function configuration(folder: string, port: number, { upstreamPort, decisionPort }: NginxPeer): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/temp/${name};`,
  );
  const checks =
    "auth_request /decision; auth_request_set $user $upstream_http_x_user_id; limit_req zone=users burst=1000000 nodelay;";
  const decision = `location = /decision { internal; proxy_pass http://decisions; proxy_pass_request_body off;
        proxy_set_header Content-Length ""; proxy_http_version 1.1; proxy_set_header Connection ""; }`;
  return `
user root;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log ${folder}/access.log;
  ${temporary.join(" ")}
  keepalive_requests 1000000000;
  ${decisionPort === undefined ? "" : "limit_req_zone $user zone=users:10m rate=1000000r/s;"}
  upstream backend { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000000; }
  ${decisionPort === undefined ? "" : `upstream decisions { server 127.0.0.1:${decisionPort}; keepalive 64; keepalive_requests 1000000000; }`}
  server {
    listen 127.0.0.1:${port};
    location / {
      ${decisionPort === undefined ? "" : checks}
      proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";
    }
    ${decisionPort === undefined ? "" : decision}
  }
}
`;
}
