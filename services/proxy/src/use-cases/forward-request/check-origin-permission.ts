import { isPromise, type OriginRights } from "@appserver/kernel";
import type { ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";

/** Finds out whether the app's pages may act for the platform's origin. Skips the check if the manifest does not request it. */
export function checkOriginPermission(rights: OriginRights): Step {
  return (proxied) => {
    const { compiled } = proxied.match.app;
    if (!compiled.asksForOrigin) return undefined;
    const allowed = rights.mayActForOrigin(compiled);
    if (!isPromise(allowed)) return accept(proxied, allowed);
    return allowed.then((known) => accept(proxied, known));
  };
}

function accept(proxied: ProxiedRequest, mayActForOrigin: boolean): void {
  proxied.mayActForOrigin = mayActForOrigin;
}
