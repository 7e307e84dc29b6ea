import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { AddressPolicy } from "../domain/upstream-address.ts";

export const connectTimeoutMs = 5_000;

/** The upstream's address is one that apps must not make the platform talk to. */
class AddressDeniedError extends Error {
  override readonly name = "AddressDeniedError";
  readonly code = "ADDRESS_DENIED";
}

/** Opens connections to addresses that the policy allows, and to no other (security, SSRF). */
export function checkedConnector(policy: AddressPolicy, lookup: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup: checkedLookup(policy, lookup) });
  return (options, callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    // A literal address is never looked up.
    if (isIP(literal) !== 0 && !policy.allows(literal)) callback(denied(literal), null);
    else connect(options, callback);
  };
}

/** Checks what the connection will really use: a name checked earlier may resolve to something else now. */
function checkedLookup(policy: AddressPolicy, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const bad = error ? undefined : addresses.find((address) => !policy.allows(address));
      callback(bad === undefined ? error : denied(bad), found, family);
    });
  };
}

function denied(address: string): AddressDeniedError {
  return new AddressDeniedError(`${address} is not an address that upstreams may have`);
}
