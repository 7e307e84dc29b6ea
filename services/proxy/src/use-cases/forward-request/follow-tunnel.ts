import type { Tunnels } from "../../ports.ts";
import type { Step } from "./step.ts";

/** Sends the requests of a user who has a tunnel to the app through that (docs/interface/proxy.md#developer-tunnels). */
export function followTunnel(tunnels: Pick<Tunnels, "isEmpty" | "find">): Step {
  return (proxied) => {
    if (tunnels.isEmpty || proxied.caller.kind !== "user") return;
    const tunnel = tunnels.find(proxied.match.app.name, proxied.caller.id);
    if (tunnel) proxied.passThrough(tunnel);
  };
}
