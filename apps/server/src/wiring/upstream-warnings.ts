import { isIP } from "node:net";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { FieldViolation } from "@appserver/kernel";
import type { Outbound } from "@appserver/kernel/ports";

/**
 * Warns of an upstream or a document whose address the platform would refuse. Checks IP addresses only: a name may resolve to another
 * address by the time of a call, and the operator may allow a range later.
 */
export function upstreamWarnings(
  outbound: Pick<Outbound, "allowsAddress">,
): (manifest: AppManifest) => readonly FieldViolation[] {
  return ({ webApp }) => {
    const { upstreamBaseUrl = "", openapiUrl = "" } = webApp?.api ?? {};
    const addresses = [
      { field: "upstream_base_url", url: upstreamBaseUrl, effect: "calls will be refused" },
      { field: "openapi_url", url: openapiUrl, effect: "the document will not be read" },
    ];
    return addresses.flatMap(({ field, url, effect }) => {
      const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? "";
      if (isIP(host) === 0 || outbound.allowsAddress(host)) return [];
      const message = `${host} is not an address that apps may have here (option upstream.allow); ${effect}`;
      return [{ field: `web_app.api.${field}`, message }];
    });
  };
}
