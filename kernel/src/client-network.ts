import { isIPv6 } from "node:net";
import { type Caller, subjectOf } from "./caller.ts";

/** Returns what counts as one client: the address, of IPv6 the first 64 bits, because a host has all addresses below them. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const first = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array.from({ length: zeros }, () => "0"), ...last].slice(0, 4).join(":");
}

/** Returns by whom a request is counted: its user, service account or app, or the network of a stranger. */
export function countedCaller(caller: Caller, remoteAddress: string): string {
  return subjectOf(caller) ?? `ip:${clientNetwork(remoteAddress)}`;
}
