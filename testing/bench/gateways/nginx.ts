import { startDebianServer } from "./debian-server.ts";
import type { Served } from "./forked.ts";

export interface NginxPeer {
  readonly upstreamPort: number;
  /** Answers `auth_request`. Without it nginx only forwards. */
  readonly decisionPort?: number;
}

/** Starts nginx as a gateway, with connections to the backend that stay open. */
export function startNginx({ upstreamPort, decisionPort }: NginxPeer): Promise<Served> {
  const forward = 'proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";';
  const backend = `upstream backend { server 127.0.0.1:${upstreamPort}; ${keepalive} }`;
  if (decisionPort === undefined) return startNginxWith(() => backend, `location / { ${forward} }`);
  const zone = `limit_req_zone $user zone=users:10m rate=1000000r/s;
    upstream decisions { server 127.0.0.1:${decisionPort}; ${keepalive} }`;
  const checks =
    "auth_request /decision; auth_request_set $user $upstream_http_x_user_id; limit_req zone=users burst=1000000 nodelay;";
  const decision = `location = /decision { internal; proxy_pass http://decisions; proxy_pass_request_body off;
    proxy_set_header Content-Length ""; proxy_http_version 1.1; proxy_set_header Connection ""; }`;
  return startNginxWith(() => `${backend} ${zone}`, `location / { ${checks} ${forward} } ${decision}`);
}

const keepalive = "keepalive 64; keepalive_requests 1000000000;";

/** Starts nginx with one worker and an access log in a file. `http` and `server` are added to these blocks. */
export function startNginxWith(http: (folder: string) => string, server: string): Promise<Served> {
  return startDebianServer({
    program: "nginx",
    packageName: "nginx-light",
    args: (folder, file) => ["-p", folder, "-c", file, "-g", "daemon off;"],
    configuration: (folder, port) => `
user root;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 16384; }
http {
  access_log ${folder}/access.log;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
  keepalive_requests 1000000000;
  client_max_body_size 0;
  proxy_request_buffering off;
  proxy_max_temp_file_size 0;
  ${http(folder)}
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`,
  });
}
