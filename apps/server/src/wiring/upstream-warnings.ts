import { isIP } from "node:net";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { FieldViolation } from "@appserver/kernel";
import type { Outbound } from "@appserver/kernel/ports";

/**
 * Warns of an upstream whose address the proxy would refuse. Checks IP addresses only: a name may resolve to another address by
 * the time of a call, and the operator may allow a range later.
 */
export function upstreamWarnings(
  outbound: Pick<Outbound, "allowsAddress">,
): (manifest: AppManifest) => readonly FieldViolation[] {
  return (manifest) => {
    const url = URL.parse(manifest.webApp?.api?.upstreamBaseUrl ?? "");
    const host = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
    if (isIP(host) === 0 || outbound.allowsAddress(host)) return [];
    const message = `${host} is not an address that apps may have here (option upstream.allow); calls will be refused`;
    return [{ field: "web_app.api.upstream_base_url", message }];
  };
}
