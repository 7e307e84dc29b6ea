import { isPromise } from "@appserver/kernel";
import type { OriginRights } from "../../ports.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Finds out whether the app's pages may act for the platform's origin. Skips the check if the manifest does not request it. */
export function weighOrigin(rights: OriginRights): Step {
  return (exchange) => {
    const { compiled } = exchange.match.app;
    if (!compiled.asksForOrigin) return undefined;
    const allowed = rights.mayActForOrigin(compiled);
    if (!isPromise(allowed)) return accept(exchange, allowed);
    return allowed.then((known) => accept(exchange, known));
  };
}

function accept(exchange: Exchange, mayActForOrigin: boolean): void {
  exchange.mayActForOrigin = mayActForOrigin;
}
