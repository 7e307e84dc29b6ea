import { type AppRights, isPromise } from "@appserver/kernel";
import type { ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";

/**
 * Finds out whether the app's pages may act for the platform's origin, and whether its backend may receive the name of the user. Skips
 * each check if the manifest does not request the permission.
 */
export function checkAppRights(rights: AppRights): Step {
  return (proxied) => {
    const { compiled } = proxied.match.app;
    const origin = compiled.asksForOrigin && rights.mayActForOrigin(compiled);
    const people = compiled.asksForPeople && proxied.caller.kind === "user" && rights.mayReadPeople(compiled);
    if (!isPromise(origin) && !isPromise(people)) return accept(proxied, origin, people);
    return Promise.all([origin, people]).then(([mayAct, mayRead]) => accept(proxied, mayAct, mayRead));
  };
}

function accept(proxied: ProxiedRequest, mayActForOrigin: boolean, namesCaller: boolean): void {
  proxied.mayActForOrigin = mayActForOrigin;
  proxied.namesCaller = namesCaller;
}
