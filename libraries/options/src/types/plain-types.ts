import { isIP } from "node:net";
import { type OptionType, scalar } from "./option-type.ts";

/** Any text. Empty means "not given", so a value is never empty. */
export const text: OptionType<string> = scalar("text", (given) => given);

/** Exactly `true` or `false`. */
export const boolean: OptionType<boolean> = scalar("true or false", (given) => {
  if (given === "true") return true;
  return given === "false" ? false : undefined;
});

/** One of the given names. */
export function oneOf<const Name extends string>(...names: readonly Name[]): OptionType<Name> {
  return scalar(inWords(names, "or"), (given) => names.find((name) => name === given));
}

/** A whole number within bounds (inclusive). */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): OptionType<number> {
  const expected = max === Number.MAX_SAFE_INTEGER ? `a whole number, ${min} or more` : `a whole number from ${min} to ${max}`;
  return scalar(expected, (given) => {
    const value = /^-?\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** A port to listen on; 0 takes a free one. */
export const listenPort: OptionType<number> = integer(0, 65_535);

/** A port to connect to. */
export const port: OptionType<number> = integer(1, 65_535);

/** A ratio from 0 to 1. */
export const ratio: OptionType<number> = scalar("a number from 0 to 1", (given) => {
  const value = /^\d(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  return value <= 1 ? value : undefined;
});

/** A text that matches the pattern. */
export function matching(pattern: RegExp, expected: string): OptionType<string> {
  return scalar(expected, (given) => (pattern.test(given) ? given : undefined));
}

/** An IPv4 or IPv6 address, without a port. */
export const address: OptionType<string> = scalar("an IP address such as 0.0.0.0, 127.0.0.1 or ::", (given) =>
  isIP(given) === 0 ? undefined : given,
);

/** An address, or a network in CIDR notation. */
export const network: OptionType<string> = scalar("an IP address or a network such as 10.0.0.0/8", (given) => {
  const [host = "", prefix, ...rest] = given.split("/");
  const version = isIP(host);
  if (version === 0 || rest.length > 0) return undefined;
  if (prefix === undefined) return given;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128) ? given : undefined;
});

/** An IPv4 range from which smaller networks are taken. */
export const networkPool: OptionType<string> = scalar("an IPv4 network from /8 to /27 such as 10.213.0.0/16", (given) => {
  const [host = "", prefix = "", ...rest] = given.split("/");
  const isValid = isIP(host) === 4 && /^\d{1,2}$/.test(prefix) && rest.length === 0;
  return isValid && Number(prefix) >= 8 && Number(prefix) <= 27 ? given : undefined;
});

/** A network, or a host with or without a port. */
export type Destination = { readonly network: string } | { readonly host: string; readonly port?: number };

/** A destination of connections: `10.0.0.0/8`, `192.0.2.7`, `db.internal`, `db.internal:5432`, `[2001:db8::1]:5432`. */
export const destination: OptionType<Destination> = scalar(
  "an IP address, a network such as 10.0.0.0/8, or host:port such as db.internal:5432",
  (given) => {
    const asNetwork = network.read(given, noFile);
    if ("value" in asNetwork) return { network: asNetwork.value };
    const [, bracketed, name, digits] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_])?))(?::(\d{1,5}))?$/.exec(given) ?? [];
    const host = bracketed ?? name;
    if (host === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined;
    if (digits === undefined) return { host };
    return Number(digits) >= 1 && Number(digits) <= 65_535 ? { host, port: Number(digits) } : undefined;
  },
);

function noFile(path: string): never {
  throw new Error(`a destination cannot be read from a file: ${path}`);
}

/** Joins names as `a, b or c`. */
export function inWords(names: readonly string[], last: "or" | "and"): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}
