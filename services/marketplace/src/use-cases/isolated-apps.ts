import { IsolatedRows } from "@appserver/kernel";
import type { MarketplaceContext } from "./context.ts";

/** Short, because users wait for most of what is repeated. */
const pauses = { firstMs: 2_000, maxMs: 30_000 };

/** Returns what isolates the apps of a repeated task by their names. `what`: "applying a deployment". */
export function isolatedApps(
  { clock, logger }: Pick<MarketplaceContext, "clock" | "logger">,
  what: string,
): IsolatedRows<string> {
  return new IsolatedRows({
    what: `marketplace: ${what}`,
    keyOf: (name) => name,
    fields: (name) => ({ app: name }),
    pauses,
    clock,
    logger,
  });
}
