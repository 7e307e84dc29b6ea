import type { Duplex } from "node:stream";
import type { UpstreamHeaders } from "../../ports.ts";
import type { ProxiedRequest } from "./proxied-request.ts";
import { responseHeaders } from "./response-headers.ts";

/** Sends 101 and joins the two connections until either ends (docs/interface/proxy.md#websockets-and-streams). */
export function joinUpgraded(proxied: ProxiedRequest, headers: UpstreamHeaders, upstream: Duplex): void {
  const { upgrade } = proxied;
  if (!upgrade) throw new Error("the request is not an upgrade");
  const client = upgrade.socket;
  const kept = responseHeaders(proxied, 101, headers);
  let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  for (let i = 0; i + 1 < kept.length; i += 2) head += `${kept[i]}: ${kept[i + 1]}\r\n`;
  proxied.isSwitched = true;
  client.write(`${head}\r\n`, "latin1");
  if (upgrade.head.length > 0) upstream.write(upgrade.head);
  join(client, upstream);
  join(upstream, client);
}

function join(from: Duplex, to: Duplex): void {
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
  from.pipe(to);
}
