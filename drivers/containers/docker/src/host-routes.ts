import { readFile } from "node:fs/promises";
import type { Range } from "./subnets.ts";

/**
 * Returns the IPv4 networks to which this machine has routes: those of other engines, VPNs and cards, also without a link. Docker
 * does not compare a requested network with them, and packets of two networks with the same addresses take the older route.
 * Returns none on a machine without `/proc/net/route`.
 */
export async function hostRoutes(): Promise<readonly Range[]> {
  return routesIn(await readFile("/proc/net/route", "utf8").catch(() => ""));
}

/** Reads the lines of `/proc/net/route`. Addresses and masks are hexadecimal, with the last byte first. */
export function routesIn(table: string): readonly Range[] {
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.split(/\s+/))
    .filter((fields) => fields.length > 7)
    .map(([, destination = "", , , , , , mask = ""]) => {
      const first = addressOf(destination);
      return { first, last: first + (0xffffffff - addressOf(mask)) };
    });
}

function addressOf(hex: string): number {
  return Buffer.from(hex, "hex").readUInt32LE(0);
}
