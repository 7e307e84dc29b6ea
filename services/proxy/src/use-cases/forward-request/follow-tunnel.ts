import type { Tunnels } from "../../ports.ts";
import type { Step } from "./step.ts";

/** Sends the requests of a user who has a tunnel to the app through that (docs/interface/proxy.md#developer-tunnels). */
export function followTunnel(tunnels: Pick<Tunnels, "isEmpty" | "find">): Step {
  return (proxied) => {
    if (tunnels.isEmpty || proxied.caller.kind !== "user") return;
    const { match } = proxied;
    const tunnel = tunnels.find(match.app.name, proxied.caller.id);
    if (!tunnel) return;
    const { upstream, forwardKey } = tunnel;
    // What a backend under development does says nothing about the app.
    proxied.matchTo({ ...match, app: { ...match.app, upstream, forwardKey, breaker: undefined } });
  };
}
