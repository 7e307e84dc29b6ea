import { addressDigest } from "../people/email.ts";
import type { AttemptLimit } from "./attempts.ts";

const quarterHourMs = 900_000;
const hourMs = 3_600_000;
/** One network, for all accounts. */
const networkLimit = { limit: 60, windowMs: quarterHourMs };
/** One site, for all accounts. */
const siteLimit = { limit: 240, windowMs: quarterHourMs };
/** One account from one network. */
const pairLimit = { limit: 10, windowMs: quarterHourMs };
/** One account from all networks from which its owner did not sign in lately: strangers cannot lock its owner out. */
const accountLimit = { limit: 100, windowMs: hourMs };

/** Returns the limits of a sign-in that names no account. */
export function networkLimits(network: string): readonly AttemptLimit[] {
  return [
    { key: `network:${network}`, ...networkLimit },
    { key: `site:${siteOf(network)}`, ...siteLimit },
  ];
}

/** Returns the limits of a sign-in with a password. The keys are the same for every address: what is locked and counted tells nothing about it. */
export function passwordLimits(email: string, network: string, isKnownNetwork: boolean): readonly AttemptLimit[] {
  const limit = isKnownNetwork ? Number.POSITIVE_INFINITY : accountLimit.limit;
  return [
    ...networkLimits(network),
    { key: pairKey(email, network), ...pairLimit },
    { key: `account:${addressDigest(email)}`, ...accountLimit, limit },
  ];
}

/** Attempts at one account from one network. */
export function pairKey(email: string, network: string): string {
  return `account:${addressDigest(email)}:${network}`;
}

/** One customer has all IPv6 networks with the same first 48 bits. */
function siteOf(network: string): string {
  return network.includes(":") ? network.split(":").slice(0, 3).join(":") : network;
}
